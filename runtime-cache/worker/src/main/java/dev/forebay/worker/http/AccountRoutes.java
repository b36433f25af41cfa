package dev.forebay.worker.http;

import dev.forebay.transfer.AccountPage;
import dev.forebay.transfer.WorkerProtocol;
import dev.forebay.worker.accounts.VersionAccounts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import java.util.concurrent.Callable;

/** Serves the accounts of versions on this worker. */
final class AccountRoutes {

    private static final int PAGE = 500;

    private final VersionAccounts accounts;

    AccountRoutes(VersionAccounts accounts) {
        this.accounts = accounts;
    }

    /** Handles {@code GET /v1/accounts?after=}. */
    Callable<WorkerResponse> page(RoutingContext context) {
        int after =
                (int)
                        Parameters.number(
                                context, WorkerProtocol.AFTER_PARAMETER, -1, Integer.MAX_VALUE);
        return () -> answer(accounts.page(after, PAGE));
    }

    /** Handles {@code DELETE /v1/accounts/{a}?revision=}. */
    Callable<WorkerResponse> settle(RoutingContext context) {
        UUID id = Parameters.account(context);
        long revision =
                Parameters.number(context, WorkerProtocol.REVISION_PARAMETER, 0, Long.MAX_VALUE);
        return () -> {
            accounts.settle(id, revision);
            return new WorkerResponse.Json(new JsonObject());
        };
    }

    private static WorkerResponse answer(AccountPage page) {
        JsonArray items = new JsonArray();
        page.accounts().forEach(account -> items.add(JsonObject.mapFrom(account)));
        return new WorkerResponse.Json(
                new JsonObject().put("accounts", items).put("next", page.next()));
    }
}
