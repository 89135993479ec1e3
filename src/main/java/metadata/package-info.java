/**
 * What is true of the cluster. Job: the immutable {@link metadata.MetadataImage}, the {@link metadata.MetadataDelta} that makes the next one from
 * records, the codec between records and bytes (metadata.proto), snapshots of an image as records. Owner thread: none; images are shared by reference.
 * Ports: none. Start reading at {@link metadata.MetadataImage}.
 */
package metadata;
