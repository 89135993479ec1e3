/** {@code bin/highwater} as a script: which JDK it takes, when it builds, what it hands on. */
package launcher;
