import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventEnvelope } from "@lango/contracts";
import { natsTransport } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { openPool } from "@lango/postgres";
import {
	createTestDatabase,
	findFreePorts,
	startTestBus,
	startTestIssuer,
	startTestSubscriptions,
} from "@lango/testkit";
import { parts } from "../../tools/up.ts";
import { linkTo } from "./breakable-link.ts";
import { readStreams } from "./bus-streams.ts";
import { holdCommits } from "./hold-commits.store.ts";
import { admitTenants } from "./notification-calls.ts";
import { startControlledSandbox } from "./notification-sandbox.ts";
import {
	blockMessage,
	blockTable,
	countUnapplied,
	countUnpublished,
	letTimePass,
	listDeliveries,
	listTopUps,
} from "./notification-state.store.ts";
import { type Replica, replicaOf } from "./replica.ts";

/**
 * Starts two processes of the notification service and the sandbox to which they send. Around them are a
 * database and a bus behind links that can be cut, and doubles of the sign-on and the subscription service.
 */
export async function startNotificationProcesses() {
	const part = parts.services.find(({ service }) => service.name === "notifications");
	if (part?.demo === undefined) throw new Error("tools/up.ts brings up no notification service");
	const around = await startAround(part.service.migrations);
	const { database, owner, links, issuer, subscriptions, sandbox, publisher, busUrl } = around;
	const calls = admitTenants(issuer, subscriptions);
	const tenantId = calls.tenant.id;
	const folder = mkdtempSync(join(tmpdir(), "lango-notifications-"));
	const ports = (await findFreePorts(2)) as [number, number];
	const environment = {
		...{ ...process.env, ...environmentOf(around), ...sandbox.environment },
		NOTIFICATIONS_PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
	};
	const processes = ports.map((port) =>
		replicaOf({ service: "notifications", port, environment, log: join(folder, `${port}.log`) }),
	) as [Replica, Replica];
	await Promise.all(processes.map((one) => one.start()));
	await part.demo(database.db, { now: new Date(), tenants: [calls.tenant], environment });
	const { pathname, search } = await sandbox.takeOverReports();
	return {
		...{ ...calls, database, sandbox, processes, links, issuer, subscriptions },
		/** Reports what became of a text message, as its provider does. Returns the status of the response. */
		async report(at: Replica, ref: string, status: "Success" | "Failed"): Promise<number> {
			const form = new URLSearchParams({ id: ref, status });
			return (await fetch(`${at.url}${pathname}${search}`, { method: "POST", body: form })).status;
		},
		publish: (event: EventEnvelope) => publisher.publish(event),
		readStreams: () => readStreams(busUrl),
		listDeliveries: (of = tenantId) => listDeliveries(owner, of),
		countUnpublished: () => countUnpublished(owner),
		listTopUps: () => listTopUps(owner, tenantId),
		countUnapplied: () => countUnapplied(owner),
		/** Holds statements that write to a table, or also read it, until the returned function is called. */
		block: (table: string, mode?: "access exclusive") => blockTable(database.ownerUrl, { table, mode }),
		/** Holds commits of inserts into a table, or of updates, until the returned function is called. */
		holdCommits: (table: string, on: "insert" | "update") => holdCommits(database.ownerUrl, { table, on }),
		/** Holds the recording of a message's results until the returned function is called. */
		blockResults: (id: string) => blockMessage(database.ownerUrl, { tenantId, id }),
		/** Reports usage now, and not in the next minute. */
		reportUsage: () => enqueueJob(owner, { name: "usage.report" }, { id: randomUUID() }),
		/** Call it while no process runs: leases and heartbeats end, and what is tried again later is due. */
		letTimePass: () => letTimePass(owner, tenantId),
		async close() {
			await Promise.all(processes.map((one) => one.kill()));
			await around.close();
			rmSync(folder, { recursive: true });
		},
	};
}

type Around = Awaited<ReturnType<typeof startAround>>;

async function startAround(sets: Parameters<typeof createTestDatabase>[0]["sets"]) {
	const database = await createTestDatabase({ name: "notifications", sets });
	const owner = openPool({ url: database.ownerUrl, name: "faults", sizeMax: 2 });
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	const [sandbox, bus] = [await startControlledSandbox(), await startTestBus()];
	const links = { database: await linkTo(placeOf(database.url)), bus: await linkTo(placeOf(bus.url)) };
	const publisher = natsTransport({ url: bus.url, name: "faults", onError: () => {} });
	return {
		...{ database, owner, links, issuer, subscriptions, sandbox, publisher, busUrl: bus.url },
		async close() {
			await Promise.all([publisher.close(), sandbox.stop(), issuer.close(), subscriptions.close()]);
			await Promise.all([owner.close(), links.database.close(), links.bus.close()]);
			await Promise.all([bus.stop(), database.drop()]);
		},
	};
}

const placeOf = (url: string) => {
	const { hostname, port } = new URL(url);
	return { host: hostname, port: Number(port || 5432) };
};

function environmentOf({ database, links, issuer, subscriptions }: Around) {
	const through = new URL(database.url);
	through.hostname = "127.0.0.1";
	through.port = `${links.database.port}`;
	return {
		NOTIFICATIONS_DATABASE_URL: through.toString(),
		NOTIFICATIONS_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
		NATS_URL: `nats://127.0.0.1:${links.bus.port}`,
		...{ AUTH_URL: issuer.url, SUBSCRIPTIONS_URL: subscriptions.url, LOG_LEVEL: "info" },
		NOTIFICATIONS_SNAPSHOT_READ_KEY: subscriptions.apiKey,
		NOTIFICATIONS_USAGE_REPORT_KEY: subscriptions.apiKey,
		NOTIFICATIONS_LINKS_READ_KEY: subscriptions.apiKey,
		NOTIFICATIONS_RECIPIENTS_READ_KEY: subscriptions.apiKey,
	};
}
