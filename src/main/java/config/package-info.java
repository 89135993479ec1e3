/**
 * The one table of configuration keys. Job: Kafka's names, types, defaults and validators for broker and topic settings, which of them are in force, have
 * no effect here or are refused (and why), parsing a properties file into typed records, one per owner. Owner thread: none; all values are immutable.
 * Ports: none. Start reading at {@link config.BrokerConfig} and {@link config.BrokerKeys}.
 */
package config;
