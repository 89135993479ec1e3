/**
 * Who decides about the cluster. Job: the machine that turns admin requests into metadata records and an answer, changes state by replay of committed
 * records only (R10), and knows Kafka's rules for topics, configs, quotas, features and producer ids. Owner thread: the controller owner
 * (node.ControllerNode). Ports: RandomSource for topic ids, Clock for nothing but log lines. Start reading at {@link controller.Controller}.
 */
package controller;
