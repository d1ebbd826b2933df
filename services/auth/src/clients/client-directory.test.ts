import type { Database } from "@lango/postgres";
import { setTransactionGuard, TransactionOpen, withOpenTransaction } from "@lango/tracing";
import { expect, onTestFinished, test } from "vitest";
import { createClientDirectory } from "./client-directory.ts";

const row = (name: string) => ({
	id: "3f0f1c52-5f0e-4d8f-9a55-6c9d5b1f4a10",
	client_id: "till",
	name,
	redirect_uris: [],
	post_logout_redirect_uris: [],
	scopes: [],
	public: true,
	secret_hash: null,
	pkce_required: true,
	id_token_algorithm: "RS256",
});

test("a client that was being read when it was changed is read again, and not kept as it was", async () => {
	const answers: Array<(rows: unknown[]) => void> = [];
	const query = () => new Promise<unknown[]>((resolve) => answers.push(resolve));
	const clients = createClientDirectory({ db: { query } as unknown as Database, now: () => new Date(0) });
	const early = clients.find("till");
	clients.clear();
	answers[0]?.([row("before")]);
	expect((await early)?.name).toBe("before");
	const later = clients.find("till");
	answers[1]?.([row("after")]);
	expect((await later)?.name).toBe("after");
	expect((await clients.find("till"))?.name).toBe("after");
	expect(answers).toHaveLength(2);
});

test("the origins, whose query callers share, are not awaited inside a transaction", async () => {
	setTransactionGuard("throw");
	onTestFinished(() => setTransactionGuard("report"));
	const answer = Promise.withResolvers<unknown[]>();
	const db = { query: () => answer.promise } as unknown as Database;
	const clients = createClientDirectory({ db, now: () => new Date(0) });
	const shared = clients.origins();
	const pool = { name: "auth", onViolation: () => undefined };
	const inside = withOpenTransaction(pool, () => Promise.race([clients.origins(), undefined]));
	await expect(inside).rejects.toBeInstanceOf(TransactionOpen);
	answer.resolve([]);
	expect(await shared).toEqual(new Set());
});
