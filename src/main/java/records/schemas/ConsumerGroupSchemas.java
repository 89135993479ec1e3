package records.schemas;

import java.util.List;
import org.apache.kafka.common.Uuid;
import records.schemas.ConsumerGroupRecord.ClassicMember;
import records.schemas.ConsumerGroupRecord.ClassicProtocol;
import records.schemas.ConsumerGroupRecord.CurrentMemberAssignment;
import records.schemas.ConsumerGroupRecord.CurrentMemberAssignmentValue;
import records.schemas.ConsumerGroupRecord.CurrentPartitions;
import records.schemas.ConsumerGroupRecord.MemberMetadata;
import records.schemas.ConsumerGroupRecord.MemberMetadataValue;
import records.schemas.ConsumerGroupRecord.Metadata;
import records.schemas.ConsumerGroupRecord.MetadataValue;
import records.schemas.ConsumerGroupRecord.PartitionMetadata;
import records.schemas.ConsumerGroupRecord.PartitionMetadataValue;
import records.schemas.ConsumerGroupRecord.RegularExpression;
import records.schemas.ConsumerGroupRecord.RegularExpressionValue;
import records.schemas.ConsumerGroupRecord.SeenPartition;
import records.schemas.ConsumerGroupRecord.SeenTopic;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMember;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMemberValue;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMetadata;
import records.schemas.ConsumerGroupRecord.TargetAssignmentMetadataValue;
import records.schemas.ConsumerGroupRecord.TargetPartitions;

/** The bytes of {@link ConsumerGroupRecord}. All values have version 0, which is flexible; keys are not. */
final class ConsumerGroupSchemas {

    private static final short VERSION = 0;
    /** What a missing tag means; the schema has null as another value, which is written. */
    private static final ClassicMember EMPTY_CLASSIC = new ClassicMember(0, List.of());

    private ConsumerGroupSchemas() {}

    static boolean has(short type) {
        return (type >= ConsumerGroupRecord.METADATA && type <= ConsumerGroupRecord.CURRENT_MEMBER_ASSIGNMENT)
                || type == ConsumerGroupRecord.REGULAR_EXPRESSION;
    }

    static void encodeKey(ConsumerGroupRecord record, FieldWriter out) {
        out.string(false, record.group());
        if (record instanceof MemberMetadata member) {
            out.string(false, member.memberId());
        } else if (record instanceof TargetAssignmentMember member) {
            out.string(false, member.memberId());
        } else if (record instanceof CurrentMemberAssignment member) {
            out.string(false, member.memberId());
        } else if (record instanceof RegularExpression regex) {
            out.string(false, regex.regularExpression());
        }
    }

    static void encodeValue(Record value, FieldWriter out) {
        out.int16(VERSION);
        if (value instanceof MetadataValue it) {
            out.int32(it.epoch());
            taggedLong(out, it.metadataHash());
        } else if (value instanceof PartitionMetadataValue it) {
            out.list(true, it.topics(), ConsumerGroupSchemas::encodeTopic).noneTagged();
        } else if (value instanceof MemberMetadataValue it) {
            encodeMember(it, out);
        } else if (value instanceof TargetAssignmentMetadataValue it) {
            out.int32(it.assignmentEpoch());
            taggedLong(out, it.assignmentTimestamp());
        } else if (value instanceof TargetAssignmentMemberValue it) {
            out.list(true, it.topicPartitions(), ConsumerGroupSchemas::encodeTarget)
                    .noneTagged();
        } else if (value instanceof CurrentMemberAssignmentValue it) {
            out.int32(it.memberEpoch()).int32(it.previousMemberEpoch()).int8(it.state());
            out.list(true, it.assignedPartitions(), ConsumerGroupSchemas::encodeCurrent);
            out.list(true, it.partitionsPendingRevocation(), ConsumerGroupSchemas::encodeCurrent);
            out.noneTagged();
        } else if (value instanceof RegularExpressionValue it) {
            strings(out, it.topics()).int64(it.version()).int64(it.timestamp()).noneTagged();
        } else {
            throw new IllegalArgumentException("no value of a consumer group: " + value.getClass());
        }
    }

    private static void taggedLong(FieldWriter out, long value) {
        if (value == 0) {
            out.noneTagged();
        } else {
            out.tagged(new FieldWriter().int64(value));
        }
    }

    private static FieldWriter strings(FieldWriter out, List<String> list) {
        return out.list(true, list, (to, one) -> to.string(true, one));
    }

    private static void encodeTopic(FieldWriter out, SeenTopic topic) {
        out.uuid(topic.topicId()).string(true, topic.topicName()).int32(topic.numPartitions());
        out.list(true, topic.partitionMetadata(), (to, one) -> {
            strings(to.int32(one.partition()), one.racks()).noneTagged();
        });
        out.noneTagged();
    }

    private static void encodeMember(MemberMetadataValue member, FieldWriter out) {
        out.string(true, member.instanceId()).string(true, member.rackId());
        out.string(true, member.clientId()).string(true, member.clientHost());
        strings(out, member.subscribedTopicNames()).string(true, member.subscribedTopicRegex());
        out.int32(member.rebalanceTimeoutMs()).string(true, member.serverAssignor());
        ClassicMember classic = member.classic();
        if (classic == null) {
            out.tagged(new FieldWriter().unsignedVarint(0));
            return;
        }
        if (classic.equals(EMPTY_CLASSIC)) {
            out.noneTagged();
            return;
        }
        FieldWriter field = new FieldWriter().unsignedVarint(1).int32(classic.sessionTimeoutMs());
        field.list(
                true,
                classic.supportedProtocols(),
                (to, one) ->
                        to.string(true, one.name()).bytes(true, one.metadata()).noneTagged());
        out.tagged(field.noneTagged());
    }

    private static void encodeTarget(FieldWriter out, TargetPartitions topic) {
        out.uuid(topic.topicId())
                .list(true, topic.partitions(), FieldWriter::int32)
                .noneTagged();
    }

    private static void encodeCurrent(FieldWriter out, CurrentPartitions topic) {
        out.uuid(topic.topicId()).list(true, topic.partitions(), FieldWriter::int32);
        if (topic.assignmentEpochs() != null && topic.assignmentEpochs().isEmpty()) {
            out.noneTagged();
        } else {
            out.tagged(new FieldWriter().list(true, topic.assignmentEpochs(), FieldWriter::int32));
        }
    }

    /** @param value null for a tombstone */
    static GroupRecord decode(short type, FieldReader key, FieldReader value) {
        String group = key.stringNotNull(false);
        boolean twoNames = type == ConsumerGroupRecord.MEMBER_METADATA
                || type == ConsumerGroupRecord.TARGET_ASSIGNMENT_MEMBER
                || type == ConsumerGroupRecord.CURRENT_MEMBER_ASSIGNMENT
                || type == ConsumerGroupRecord.REGULAR_EXPRESSION;
        String name = twoNames ? key.stringNotNull(false) : null;
        if (value != null) {
            short version = value.int16();
            if (version != VERSION) {
                return new GroupRecord.UnknownVersion(type, version);
            }
        }
        return switch (type) {
            case ConsumerGroupRecord.METADATA -> new Metadata(group, value == null ? null : metadata(value));
            case ConsumerGroupRecord.PARTITION_METADATA ->
                new PartitionMetadata(group, value == null ? null : partitionMetadata(value));
            case ConsumerGroupRecord.MEMBER_METADATA ->
                new MemberMetadata(group, name, value == null ? null : member(value));
            case ConsumerGroupRecord.TARGET_ASSIGNMENT_METADATA ->
                new TargetAssignmentMetadata(group, value == null ? null : targetMetadata(value));
            case ConsumerGroupRecord.TARGET_ASSIGNMENT_MEMBER ->
                new TargetAssignmentMember(group, name, value == null ? null : target(value));
            case ConsumerGroupRecord.CURRENT_MEMBER_ASSIGNMENT ->
                new CurrentMemberAssignment(group, name, value == null ? null : current(value));
            case ConsumerGroupRecord.REGULAR_EXPRESSION ->
                new RegularExpression(group, name, value == null ? null : regex(value));
            default -> throw new IllegalArgumentException("type " + type);
        };
    }

    private static MetadataValue metadata(FieldReader in) {
        int epoch = in.int32();
        return new MetadataValue(epoch, in.tagged(0L, FieldReader::int64));
    }

    private static PartitionMetadataValue partitionMetadata(FieldReader in) {
        List<SeenTopic> topics = in.list(true, ConsumerGroupSchemas::topic);
        in.noneTagged();
        return new PartitionMetadataValue(topics);
    }

    private static SeenTopic topic(FieldReader in) {
        Uuid topicId = in.uuid();
        String name = in.stringNotNull(true);
        int numPartitions = in.int32();
        List<SeenPartition> partitions = in.list(true, one -> {
            int partition = one.int32();
            List<String> racks = strings(one);
            one.noneTagged();
            return new SeenPartition(partition, racks);
        });
        in.noneTagged();
        return new SeenTopic(topicId, name, numPartitions, partitions);
    }

    private static List<String> strings(FieldReader in) {
        return in.list(true, one -> one.stringNotNull(true));
    }

    private static MemberMetadataValue member(FieldReader in) {
        return new MemberMetadataValue(
                in.string(true),
                in.string(true),
                in.stringNotNull(true),
                in.stringNotNull(true),
                strings(in),
                in.string(true),
                in.int32(),
                in.string(true),
                in.tagged(EMPTY_CLASSIC, ConsumerGroupSchemas::classicMember));
    }

    private static ClassicMember classicMember(FieldReader in) {
        if (in.unsignedVarint() <= 0) {
            return null;
        }
        int sessionTimeoutMs = in.int32();
        List<ClassicProtocol> protocols = in.list(true, one -> {
            String name = one.stringNotNull(true);
            byte[] metadata = one.bytes(true);
            one.noneTagged();
            return new ClassicProtocol(name, metadata);
        });
        in.noneTagged();
        return new ClassicMember(sessionTimeoutMs, protocols);
    }

    private static TargetAssignmentMetadataValue targetMetadata(FieldReader in) {
        int epoch = in.int32();
        return new TargetAssignmentMetadataValue(epoch, in.tagged(0L, FieldReader::int64));
    }

    private static TargetAssignmentMemberValue target(FieldReader in) {
        List<TargetPartitions> topics = in.list(true, one -> {
            Uuid topicId = one.uuid();
            List<Integer> partitions = one.list(true, FieldReader::int32);
            one.noneTagged();
            return new TargetPartitions(topicId, partitions);
        });
        in.noneTagged();
        return new TargetAssignmentMemberValue(topics);
    }

    private static CurrentMemberAssignmentValue current(FieldReader in) {
        CurrentMemberAssignmentValue value = new CurrentMemberAssignmentValue(
                in.int32(),
                in.int32(),
                in.int8(),
                in.list(true, ConsumerGroupSchemas::currentPartitions),
                in.list(true, ConsumerGroupSchemas::currentPartitions));
        in.noneTagged();
        return value;
    }

    private static CurrentPartitions currentPartitions(FieldReader in) {
        Uuid topicId = in.uuid();
        List<Integer> partitions = in.list(true, FieldReader::int32);
        List<Integer> epochs = in.tagged(List.of(), one -> one.listOrNull(true, FieldReader::int32));
        return new CurrentPartitions(topicId, partitions, epochs);
    }

    private static RegularExpressionValue regex(FieldReader in) {
        RegularExpressionValue value = new RegularExpressionValue(strings(in), in.int64(), in.int64());
        in.noneTagged();
        return value;
    }
}
