/**
 * Ids, the ports to clocks, timers, randomness, mailboxes and metrics, errors as values, always-on checks. Job: words that every package may use. Owner
 * thread: none; nothing here has state. Start reading at {@link common.Ports}.
 */
package common;
