import { randomUUID } from "node:crypto";
import { type BuiltService, buildService } from "@lango/chassis";
import type { EventType } from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import { acrossTenants } from "@lango/postgres";
import { type Answer, openStand, type Stand, testEvent, testSubscription } from "@lango/testkit";
import { logistics } from "../src/service.ts";

/** Logistics on a real database, with helpers for the tests of the fleet. */
export type Fleet = Stand & {
	transport: Transport;
	service: BuiltService;
	/** Another replica on the same database, with more connections than this one. */
	replica(connectionsMax: number): Promise<BuiltService>;
	/** Gives uhai a plan with this many riders. */
	limit(riders: number | undefined): void;
	/** Sends a request about the riders of uhai, by default as its administrator. */
	ask(method: string, path: string, more?: { token?: string; body?: object }): Promise<Answer>;
	/** A new pending rider of uhai, added by its administrator. */
	newRider(): Promise<{ id: string; subject: string }>;
	/** Publishes an event of a person as the sign-on service would: in uhai unless `inAll`. */
	publish(
		type: EventType,
		subject: string,
		event: { inAll?: true; [member: string]: unknown },
	): Promise<void>;
	/** The rows of a query in all tenants. */
	rows<R extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>;
};

/** Starts everything; `close` stops everything and drops the database. */
export async function openFleet(): Promise<Fleet> {
	const transport = inProcessTransport();
	const others: Array<{ service: BuiltService; transport: Transport }> = [];
	let service: BuiltService | undefined;
	let environment: Record<string, string> = {};
	const stand = await openStand({
		service: logistics,
		build: async (declared, options) => {
			environment = options.environment;
			service = await buildService(declared, { ...options, transport, jobs: "by hand" });
			return service;
		},
		plan: { limits: { max_riders: -1 } },
	});
	const built = service;
	if (built === undefined) throw new Error("the service was not built");
	const { uhai } = stand.tenants;
	const ask: Fleet["ask"] = (method, path, { token = stand.token(uhai, "admin"), body } = {}) =>
		stand.call({ method, url: `/api/v1/uhai/logistics/${path}`, token, body });
	return {
		...stand,
		transport,
		service: built,
		ask,
		replica: async (connectionsMax) => {
			const over = inProcessTransport();
			const more = { LOGISTICS_DATABASE_CONNECTIONS_MAX: String(connectionsMax) };
			const logTo = { write: (line: string) => void stand.logged.push(line) };
			const options = { environment: { ...environment, ...more }, transport: over, logTo };
			const replica = await buildService(logistics, { ...options, jobs: "by hand" });
			others.push({ service: replica, transport: over });
			return replica;
		},
		limit: (riders) => {
			const version = (stand.subscriptions.records.get(uhai.id)?.version ?? 0) + 1;
			const limits = riders === undefined ? {} : { max_riders: riders };
			const record = testSubscription(uhai.id, { limits, products: ["logistics"], version });
			stand.subscriptions.records.set(uhai.id, record);
		},
		newRider: async () => {
			const subject = randomUUID();
			await ask("GET", "auth/me", { token: stand.token(uhai, "member", { sub: subject }) });
			const { status, body } = await ask("POST", "riders", { body: { user_id: subject } });
			if (status !== 201) throw new Error(`adding a rider failed: ${status} ${JSON.stringify(body)}`);
			return { id: String(body.id), subject };
		},
		publish: (type, subject, { inAll, ...more }) => {
			const data = { user_id: subject, ...more };
			return transport.publish(
				testEvent(type, { subject, data, ...(inAll === undefined && { tenant: uhai }) }),
			);
		},
		rows: (text, values = []) => acrossTenants(stand.database.db, (tx) => tx.query(text, values)),
		close: async () => {
			for (const one of others) {
				await one.service.close();
				await one.transport.close();
			}
			await transport.close();
			await stand.close();
		},
	};
}
