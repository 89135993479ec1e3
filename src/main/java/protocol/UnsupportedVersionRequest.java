package protocol;

import org.apache.kafka.common.message.ApiVersionsRequestData;

/** Stands for an ApiVersions request of a version that we do not know and so did not decode (KIP-511). */
final class UnsupportedVersionRequest extends ApiVersionsRequestData {}
