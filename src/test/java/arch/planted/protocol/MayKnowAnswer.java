package arch.planted.protocol;

import arch.planted.storage.Answer;

final class MayKnowAnswer {
    long offset(Answer answer) {
        return answer.offset();
    }
}
