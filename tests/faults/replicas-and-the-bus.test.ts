import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { hasBus } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recoveryMs } from "./agree.ts";
import { fillOutbox } from "./fill-outbox.ts";
import { authorize, call, codeIn, cookieOf, refresh, register, signIn, trade } from "./person.ts";
import { countUndone, slowDown } from "./service-state.store.ts";
import { openStand, type Stand, underLoad, untilItFlows } from "./under-load.ts";

// The same three services of two processes each, while what is between them fails: the bus, or one of them
// that another asks.

/** Thousands of slow effects take longer than a usual recovery. */
const drainMs = 120_000;
const slowly = { timeout: 300_000 };

describe.runIf(hasBus())("two processes of each service", slowly, () => {
	let stand: Stand;
	beforeAll(async () => {
		stand = await openStand();
	}, 120_000);
	afterAll(() => stand?.replicas.stop());

	test("a bus that is killed and restarted fails no request, and its missed events arrive", async () => {
		await underLoad(stand, async (load) => {
			await stand.replicas.bus.kill();
			await untilItFlows(load, Date.now());
			await stand.replicas.bus.restart();
		});
		expect(stand.ledger.failures).toEqual([]);
	});

	test("people sign in, register and work for ten seconds in which the bus does not respond", async () => {
		await underLoad(stand, async (load) => {
			stand.replicas.busLink.pause();
			await sleep(5_000);
			const since = Date.now();
			const ready = await call(`${stand.replicas.of.auth[0].url}/readyz`);
			expect(ready).toMatchObject({
				status: 200,
				body: { status: "degraded", checks: { bus: "unavailable" } },
			});
			await untilItFlows(load, since);
			await sleep(Math.max(5_000 - (Date.now() - since), 0));
			stand.replicas.busLink.restore();
		});
		expect(stand.ledger.failures).toEqual([]);
	});

	test("an outbox that filled without the bus empties into a slow consumer in order, and delays no request", async () => {
		const { bus, databases } = stand.replicas;
		const happens = async () => {
			await bus.kill();
			await fillOutbox(databases.auth, { slug: "uhai", outlets: 50, changes: 60 });
			expect((await countUndone(databases.auth)).unpublished).toBeGreaterThan(3_000);
			await slowDown(databases.hospital, 0.003);
			await bus.restart();
		};
		try {
			await underLoad(stand, happens, drainMs);
		} finally {
			await slowDown(databases.hospital, 0);
		}
		expect(stand.ledger.failures).toEqual([]);
	});

	test("people register, sign in, refresh and trade codes without the bus and without the subscription service", async () => {
		const { bus, of, urls } = stand.replicas;
		await bus.kill();
		await Promise.all(of.subscriptions.map((replica) => replica.kill()));
		for (let turn = 0; turn < 5; turn += 1) {
			const begun = await signIn(urls.auth, "admin@uhai.example");
			expect(begun.status).toBe(200);
			expect((await refresh(urls.auth, String(begun.body["refresh_token"]))).status).toBe(200);
			const code = codeIn(await authorize(urls.auth, cookieOf(begun))) ?? "";
			expect((await trade(urls.auth, code)).status).toBe(200);
		}
		const slug = `clinic-${randomBytes(5).toString("hex")}`;
		expect(stand.ledger.note("register", await register(urls.auth, slug), `tenant ${slug}`)).toBe(true);
		await bus.restart();
		await Promise.all(of.subscriptions.map((replica) => replica.start()));
		await stand.agreement.reach(Date.now() + recoveryMs);
	});
});
