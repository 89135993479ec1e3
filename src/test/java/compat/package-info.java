/**
 * Real clients and a real Apache Kafka against the broker of this build, over sockets. Job: what a client sees is what Kafka would show it. Start reading
 * at {@link compat.AdminDifferentialTest}.
 */
package compat;
