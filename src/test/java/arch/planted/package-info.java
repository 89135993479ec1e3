/** Classes that break a rule on purpose; the package below this one says which module they play. */
package arch.planted;
