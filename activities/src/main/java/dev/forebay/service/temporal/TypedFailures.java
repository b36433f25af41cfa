package dev.forebay.service.temporal;

import dev.forebay.model.ForebayException;
import dev.forebay.workflows.Failures;
import io.temporal.common.interceptors.ActivityInboundCallsInterceptor;
import io.temporal.common.interceptors.ActivityInboundCallsInterceptorBase;
import io.temporal.common.interceptors.WorkerInterceptorBase;

/** Gives the exceptions of activities the failure type that workflows read. */
final class TypedFailures extends WorkerInterceptorBase {

    @Override
    public ActivityInboundCallsInterceptor interceptActivity(ActivityInboundCallsInterceptor next) {
        return new ActivityInboundCallsInterceptorBase(next) {
            @Override
            public ActivityOutput execute(ActivityInput input) {
                try {
                    return super.execute(input);
                } catch (ForebayException e) {
                    throw Failures.of(e);
                }
            }
        };
    }
}
