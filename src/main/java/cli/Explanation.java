package cli;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Turns what the client library throws into words for a person: what happened, why, what to do next. */
final class Explanation {

    private Explanation() {}

    static CliFailure of(Throwable problem) {
        Throwable cause = unwrap(problem);
        if (cause instanceof CliFailure failure) {
            return failure;
        }
        String text = message(cause);
        if (cause instanceof KafkaException && !(cause instanceof ConfigException)) {
            return new CliFailure(text, hint(cause));
        }
        if (cause instanceof ConfigException) {
            return new CliFailure("a client setting is wrong: " + text, "Check --command-config and --property.");
        }
        if (cause instanceof java.io.IOException) {
            return new CliFailure(cause.getClass().getSimpleName() + ": " + text, "");
        }
        return new CliFailure("unexpected " + cause + at(cause), "This is a bug: please report it with the command.");
    }

    private static String at(Throwable cause) {
        StackTraceElement[] trace = cause.getStackTrace();
        return trace.length == 0 ? "" : " at " + trace[0];
    }

    private static String hint(Throwable cause) {
        if (cause instanceof UnknownTopicOrPartitionException) {
            return "See which topics there are: highwater topics list. Make it: highwater topics create NAME.";
        }
        if (cause instanceof GroupIdNotFoundException) {
            return "See which groups there are: highwater groups list.";
        }
        if (cause instanceof TransactionalIdNotFoundException) {
            return "See which transactional ids there are: highwater transactions list --all.";
        }
        if (cause instanceof GroupNotEmptyException || cause instanceof UnknownMemberIdException) {
            return "Its members must end first; see who they are: highwater groups describe GROUP --members.";
        }
        if (cause instanceof GroupSubscribedToTopicException) {
            return "A member of the group reads the topic: end it first.";
        }
        if (cause instanceof CommitFailedException) {
            return "Another member of the group may print the last records again.";
        }
        if (cause instanceof TopicExistsException) {
            return "Use it as it is, change it with highwater topics alter, or add --if-not-exists.";
        }
        if (cause instanceof TimeoutException) {
            return "The broker is reachable but did not finish in time: look at its log, or give --timeout SECONDS.";
        }
        if (cause instanceof InvalidReplicationFactorException) {
            return "Each replica needs a broker of its own: with one broker use --replication-factor 1 or leave it out.";
        }
        if (cause instanceof InvalidTopicException) {
            return "Topic names have 1 to 249 of a-z A-Z 0-9 . _ - and are not '.' or '..'.";
        }
        if (cause instanceof InvalidPartitionsException) {
            return "Partitions can be added, never removed: give more than there are now.";
        }
        // One of its kind to the library, but not for a person.
        if (cause instanceof UnsupportedVersionException) {
            return "The broker does not offer this request: it may be older than this command.";
        }
        if (cause instanceof InvalidConfigurationException) {
            return "Keys and values are Kafka's; see what is set: highwater config describe --topic NAME --all.";
        }
        if (cause instanceof RecordTooLargeException) {
            return "The topic's max.message.bytes bounds a batch; the producer's max.request.size too (--property).";
        }
        if (cause instanceof AuthenticationException || cause instanceof AuthorizationException) {
            return "Give security settings in a file: --command-config client.properties.";
        }
        return "";
    }

    private static String message(Throwable cause) {
        String text = cause.getMessage();
        return text == null || text.isBlank() ? cause.getClass().getSimpleName() : text;
    }

    private static Throwable unwrap(Throwable problem) {
        Throwable cause = problem;
        while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        // The producer and consumer wrap the reason ("Failed to construct kafka consumer").
        if (cause.getClass() == KafkaException.class && cause.getCause() instanceof KafkaException inner) {
            return inner;
        }
        return cause;
    }
}
