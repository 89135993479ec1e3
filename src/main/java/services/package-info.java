/**
 * The use cases that every door shares: produce, fetch, offsets, admin. Job: authorise, find the owners of a request's partitions, ask them, gather. Owner
 * thread: the server instance that holds the service. Ports: Mailboxes, Timers. Start reading at {@link services.ProduceService} and {@link
 * services.FetchService}.
 */
package services;
