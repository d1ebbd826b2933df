import { type RunningService, startService } from "@lango/chassis";
import { inProcessTransport, type Transport } from "@lango/events";
import {
	createTestDatabase,
	findFreePorts,
	hasBus,
	startTestBus,
	startTestCollector,
	type TestCollector,
	type TestDatabase,
	testServiceKeys,
} from "@lango/testkit";
import { parts } from "../../tools/up.ts";

const names = ["auth", "ordering", "logistics"] as const;
export type Name = (typeof names)[number];

/** The sign-on service and two consumers of its events; all export their traces to one collector. */
export type TracedServices = {
	urls: Readonly<Record<Name, string>>;
	/** Adds the demo tenants and their people to the sign-on service. */
	addDemo(): Promise<void>;
	collector: TestCollector;
	/** The lines of each one's log. */
	lines(name: Name): Array<Record<string, unknown>>;
	close(): Promise<void>;
};

/**
 * Starts them on a bus of their own, or in one process without a bus; each also
 * receives `environment`.
 */
export async function startTracedServices(
	environment: Readonly<Record<string, string>> = {},
): Promise<TracedServices> {
	const [ports, collector] = await Promise.all([findFreePorts(names.length), startTestCollector()]);
	const bus = hasBus() ? await startTestBus() : undefined;
	const transport: Transport | undefined = bus === undefined ? inProcessTransport() : undefined;
	const urls = Object.fromEntries(
		names.map((name, index) => [name, `http://localhost:${ports[index]}`]),
	) as Record<Name, string>;
	const logged = new Map<Name, string[]>(names.map((name) => [name, []]));
	const running: RunningService[] = [];
	const databases = new Map<Name, TestDatabase>();
	const shared = {
		NODE_ENV: "test",
		AUTH_URL: urls.auth,
		...testServiceKeys(...names),
		LANGO_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
		LOG_LEVEL: "info",
		OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
		OTEL_BSP_SCHEDULE_DELAY: "50",
		...(bus !== undefined && { NATS_URL: bus.url }),
		...environment,
	};
	const start = async (name: Name, port: string) => {
		const service = parts.services.find((part) => part.service.name === name)?.service;
		if (service === undefined) throw new Error(`tools/up.ts brings up no ${name}`);
		const database = await createTestDatabase({ name, sets: service.migrations });
		databases.set(name, database);
		const prefix = name.toUpperCase();
		const own = { [`${prefix}_DATABASE_URL`]: database.url, [`${prefix}_PORT`]: port };
		const logTo = { write: (line: string) => void logged.get(name)?.push(line) };
		const options = { environment: { ...shared, ...own }, logTo, ...(transport && { transport }) };
		running.push(await startService(service, options));
	};
	const close = async () => {
		await Promise.all(running.map((service) => service.close()));
		await transport?.close();
		await bus?.stop();
		for (const database of databases.values()) await database.drop();
		await collector.close();
	};
	try {
		await Promise.all(names.map((name, index) => start(name, String(ports[index]))));
	} catch (error) {
		await close();
		throw error;
	}
	const addDemo = async () => {
		const auth = parts.services.find((part) => part.service.name === "auth");
		const db = databases.get("auth")?.db;
		if (auth?.demo === undefined || db === undefined) throw new Error("the sign-on service has no demo");
		await auth.demo(db, { now: new Date(), tenants: [], environment: shared });
	};
	return {
		urls,
		addDemo,
		collector,
		lines: (name) => (logged.get(name) ?? []).map((line) => JSON.parse(line)),
		close,
	};
}
