import { migrate, openPool, prepareDatabase } from "@lango/postgres";
import pg from "pg";
import type { Cluster } from "../../tools/postgres/cluster.ts";
import { parts } from "../../tools/up.ts";
import { databaseAt } from "../database-at.ts";
import type { Cores } from "../sign-on/cores.ts";
import { startWorker } from "../sign-on/driver.ts";
import { stopChild } from "../sign-on/processes.ts";
import { raiseLimits, raisePace } from "./installation.store.ts";

const name = "bench_notifications";
const keys = `bench:${Buffer.alloc(32, 7).toString("base64")}`;
/** The key encryption keys of the measured service. */
export const keyEncryptionKeys = keys;

/** What a mail server of the bench has taken, and the arrivals at `timed-…` since the question before. */
export type Taken = { count: number; arrivals: ReadonlyArray<{ to: string; at: number }> };

export type Databases = { appUrl: string; peerUrl: string; adminUrl: string; admin: pg.Client };

/** Creates the databases of the service and of the peer. `admin` is an open connection to the service's. */
export async function createDatabases(cluster: Cluster): Promise<Databases> {
	const { service } = findPart();
	const { owner, app: appUrl } = await prepareDatabase(cluster.adminUrl, name);
	await migrate(owner, service.migrations);
	const { owner: peerUrl } = await prepareDatabase(cluster.adminUrl, `${name}_peer`);
	const adminUrl = databaseAt(cluster.adminUrl, name);
	const admin = new pg.Client({ connectionString: adminUrl });
	await admin.connect();
	await raiseLimits(admin);
	return { appUrl, peerUrl, adminUrl, admin };
}

function findPart() {
	const part = parts.services.find(({ service }) => service.name === "notifications");
	if (part === undefined) throw new Error("there is no notification service");
	return part;
}

/** Makes the mail server at this port the platform's provider of e-mail. */
export async function provideMail({ appUrl, admin }: Databases, smtpPort: number): Promise<void> {
	const db = openPool({ url: appUrl, name: "bench", sizeMax: 1 });
	const environment = {
		NOTIFICATIONS_KEY_ENCRYPTION_KEYS: keys,
		MESSAGES_SANDBOX_SMTP_PORT: String(smtpPort),
	};
	await findPart().demo?.(db, { now: new Date(), environment, tenants: [] });
	await db.close();
	await raisePace(admin);
}

/** Starts a mail server that takes each mail after `answerMs`. */
export function startMailServer(cores: Cores, answerMs: number) {
	const port = 20_000 + Math.floor(Math.random() * 10_000);
	Object.assign(process.env, { PORT: String(port), ANSWER_MS: String(answerMs) });
	const { child, ask } = startWorker("../notifications/sink-process.ts", cores, cores.rest);
	const url = `http://127.0.0.1:${port + 1}`;
	return { port, url, read: () => ask<Taken>({}), stop: () => stopChild(child) };
}
