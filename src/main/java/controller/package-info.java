/**
 * Who decides about the cluster. Job: the machine that turns requests into metadata records and an answer, changes state by replay of committed records only (R10), and
 * knows Kafka's rules for topics, configs, quotas, features and producer ids, and for brokers, leaders, ISRs and reassignments (rules C1 to C9). Owner thread: the
 * controller owner (node.ControllerNode). Ports: RandomSource for topic ids and placement; times come in as arguments. Start reading at {@link controller.Controller};
 * what becomes of one partition is in PartitionChange, what becomes of a broker in BrokerLifecycle.
 */
package controller;
