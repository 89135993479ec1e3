package services;

/**
 * What a session needs to know of the answer for one partition.
 *
 * @param failed it carries an error code
 * @param urgent it says something besides records and offsets: a diverging epoch, a replica to read from
 */
public record FetchAnswer(int bytes, long highWatermark, long logStartOffset, boolean failed, boolean urgent) {}
