/** Real processes, killed with -9 under load and started again. Confirms on a real kernel what the simulator searches. */
package crash;
