package services;

import static org.junit.jupiter.api.Assertions.assertEquals;

import common.FailureCode;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.junit.jupiter.api.Test;

class TopicServiceTest {
    private final HeldMailboxes mailboxes = new HeldMailboxes();
    private final FakeController controller = new FakeController().answering(new CreateTopicsResponseData());
    private final TopicService service = new TopicService(mailboxes, true, true);
    private final List<String> events = new ArrayList<>();

    @Test
    void passesTheClientsTimeOut() {
        service.create(new CreateTopicsRequestData().setTimeoutMs(1234), (answer, failure) -> {});
        service.create(new CreateTopicsRequestData().setTimeoutMs(0), (answer, failure) -> {});
        assertEquals(List.of(1234L, 1L), mailboxes.timeouts());
    }

    @Test
    void passesOnTheFailure() {
        controller.answering(null);
        service.create(new CreateTopicsRequestData(), (answer, failure) -> events.add("failed " + failure.code()));
        mailboxes.deliver(controller.asController());
        assertEquals(List.of("failed " + FailureCode.NOT_LEADER), events);
    }

    @Test
    void askersOfOneNameShareOneCreation() {
        service.createOnUse(List.of("a", "b"), () -> events.add("first"));
        service.createOnUse(List.of("b"), () -> events.add("second"));
        service.createOnUse(List.of("b", "c"), () -> events.add("third"));
        assertEquals(2, mailboxes.waiting());

        mailboxes.deliver(controller.asController());
        assertEquals(List.of("a", "b"), names(0));
        assertEquals(List.of("first", "second"), events);

        mailboxes.deliver(controller.asController());
        assertEquals(List.of("c"), names(1));
        assertEquals(List.of("first", "second", "third"), events);

        // What is over is over: the next asker asks the controller again.
        service.createOnUse(List.of("b"), () -> events.add("later"));
        assertEquals(1, mailboxes.waiting());
    }

    @Test
    void aFailedCreationLetsTheAskersGo() {
        controller.answering(null);
        service.createOnUse(List.of("a"), () -> events.add("done"));
        mailboxes.deliver(controller.asController());
        assertEquals(List.of("done"), events);
    }

    private List<String> names(int request) {
        CreateTopicsRequestData created =
                (CreateTopicsRequestData) controller.requests().get(request);
        return created.topics().stream().map(CreatableTopic::name).toList();
    }
}
