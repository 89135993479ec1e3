package services;

import common.Callback;
import common.Mailboxes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;

/**
 * Making, growing and deleting topics, for every door. Requests and answers are Kafka's messages, as the controller takes them (rule R5: no twins of
 * ours). One instance per server instance, confined to its owner. Answers carry errors per topic; a failure means that the whole outcome is not known.
 */
public final class TopicService {
    /** How long a metadata request waits for the topics that it makes; afterwards the client asks again. */
    static final int AUTO_CREATE_MILLIS = 3_000;

    private final ControllerCalls controller;
    private final boolean autoCreate;
    private final boolean deletable;
    private final Map<String, List<Runnable>> beingCreated = new LinkedHashMap<>();

    /**
     * @param autoCreate auto.create.topics.enable
     * @param deletable delete.topic.enable
     */
    public TopicService(Mailboxes mailboxes, boolean autoCreate, boolean deletable) {
        this.controller = new ControllerCalls(mailboxes);
        this.autoCreate = autoCreate;
        this.deletable = deletable;
    }

    /** Whether asking for an unknown topic makes it. */
    public boolean createsOnUse() {
        return autoCreate;
    }

    /** Whether topics may be deleted at all. */
    public boolean deletable() {
        return deletable;
    }

    /** Answers when every partition made takes records. */
    public void create(CreateTopicsRequestData request, Callback<CreateTopicsResponseData> done) {
        controller.call((owner, reply) -> owner.createTopics(request, reply), request.timeoutMs(), done);
    }

    /** Only if {@link #deletable}. */
    public void delete(DeleteTopicsRequestData request, Callback<DeleteTopicsResponseData> done) {
        controller.call((owner, reply) -> owner.deleteTopics(request, reply), request.timeoutMs(), done);
    }

    /** Answers when the new partitions take records. */
    public void createPartitions(CreatePartitionsRequestData request, Callback<CreatePartitionsResponseData> done) {
        controller.call((owner, reply) -> owner.createPartitions(request, reply), request.timeoutMs(), done);
    }

    /**
     * Makes topics of the broker's default shape. {@code done} runs when each of them was made, was there already, could not be made, or time is up:
     * look at the image then. Askers of one name at the same time share one creation.
     *
     * @param names legal, distinct, at least one
     */
    public void createOnUse(List<String> names, Runnable done) {
        List<CreatableTopic> topics = new ArrayList<>(names.size());
        for (String name : names) {
            topics.add(new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1));
        }
        createShared(topics, done);
    }

    /** As {@link #createOnUse}, of a given shape: for the broker's own topics. */
    void createShared(List<CreatableTopic> topics, Runnable done) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(AUTO_CREATE_MILLIS);
        Countdown all = new Countdown(topics.size(), done);
        List<String> made = new ArrayList<>();
        for (CreatableTopic topic : topics) {
            List<Runnable> waiting = beingCreated.get(topic.name());
            if (waiting == null) {
                waiting = new ArrayList<>();
                beingCreated.put(topic.name(), waiting);
                made.add(topic.name());
                request.topics().add(topic);
            }
            waiting.add(all);
        }
        if (!made.isEmpty()) {
            create(request, (answer, failure) -> made.forEach(this::settle));
        }
    }

    private void settle(String name) {
        beingCreated.remove(name).forEach(Runnable::run);
    }

    /** Runs {@code done} at the last of {@code left} runs. */
    private static final class Countdown implements Runnable {
        private final Runnable done;
        private int left;

        Countdown(int left, Runnable done) {
            this.left = left;
            this.done = done;
        }

        @Override
        public void run() {
            if (--left == 0) {
                done.run();
            }
        }
    }
}
