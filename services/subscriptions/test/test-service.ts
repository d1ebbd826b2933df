import { randomUUID } from "node:crypto";
import { type BuiltService, buildService } from "@lango/chassis";
import { type AccessTokenClaims, type EventEnvelope, eventTypes } from "@lango/contracts";
import { inProcessTransport, type Transport } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { createTestDatabase, startTestIssuer, type TestDatabase, type TestIssuer } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { mintApiKey } from "@lango/tokens";
import { vi } from "vitest";
import { receivePayment } from "../src/billing/receive-payment.ts";
import { migrations } from "../src/migrations.ts";
import type { ChangeParts } from "../src/record/change-subscription.ts";
import { subscriptions } from "../src/service.ts";

/** The service on its own database, with a token issuer and a clock that is set by the test. */
export type TestService = BuiltService & {
	database: TestDatabase;
	issuer: TestIssuer;
	apiKey: string;
	clock: { now: Date };
	/** What an operation that changes a subscription needs. */
	parts: ChangeParts;
	/** A token of a user with the role in the tenant. */
	tokenOf(tenantId: string, claims?: Partial<AccessTokenClaims>): string;
	/** Builds a second instance on the same database, as another replica or a later start would. */
	again(environment?: Record<string, string>, transport?: Transport): Promise<BuiltService>;
	/** The transport of the service's events. */
	transport: Transport;
	/** Every published event once: the outbox is purged when the clock leaps. */
	published: ReadonlyMap<string, EventEnvelope>;
	/** Reports from the treasury that an operation was paid. */
	payLate(tenantId: string, operationId: string): Promise<void>;
	end(): Promise<void>;
};

/** The time at which the clock of a test starts. */
export const noon = new Date("2026-03-01T12:00:00Z");
/** So many days after noon. */
export const daysAfter = (days: number) => new Date(noon.getTime() + days * 86_400_000);

/** One key with all permissions of a service. */
export const acceptedText = (key: string): string => `test:snapshot.read+usage.report:${key}`;

/** Starts the service before the tests of the calling file, and ends it after them. */
export function setUpService(settings?: Record<string, string>): TestService {
	return setUp(
		() => startService(settings),
		({ end }) => end(),
	);
}

async function startService(settings: Record<string, string> = {}): Promise<TestService> {
	const clock = { now: noon };
	const now = () => clock.now;
	const issuer = await startTestIssuer({ now });
	const database = await createTestDatabase({ name: "subscriptions", sets: migrations });
	const apiKey = mintApiKey().text;
	const environment = {
		NODE_ENV: "test",
		SUBSCRIPTIONS_DATABASE_URL: database.url,
		SUBSCRIPTIONS_API_KEYS: acceptedText(apiKey),
		AUTH_URL: issuer.url,
		LOG_LEVEL: "silent",
		// Due steps are applied when a test says so.
		...settings,
	};
	const build = (more: Record<string, string> = {}, transport: Transport = inProcessTransport()) =>
		buildService(subscriptions, {
			environment: { ...environment, ...more },
			transport,
			now,
			jobs: "by hand",
		});
	const published = new Map<string, EventEnvelope>();
	const transport = inProcessTransport();
	await transport.observe({
		types: eventTypes.map(({ type }) => type),
		deliver: (envelope) => void published.set(envelope.id, envelope),
		onGap: () => undefined,
		onError: (error) => {
			throw error;
		},
	});
	const built = await build({}, transport);
	const parts = { db: built.db, clock: { now, hasTestClocks: true }, mint: randomUUID };
	return {
		...built,
		database,
		issuer,
		apiKey,
		clock,
		parts,
		tokenOf: (tenantId, claims = {}) =>
			issuer.token({
				tenant_id: tenantId,
				tenant_slug: "acme",
				email: "a@acme.example",
				sub: randomUUID(),
				...claims,
			}),
		again: build,
		transport,
		published,
		payLate: async (tenantId, operationId) => {
			const [operation] = await inTenant(built.db, tenantId, (tx) =>
				tx.query<{ amount: bigint }>("select amount_minor as amount from billing_operations where id = $1", [
					operationId,
				]),
			);
			if (operation === undefined) throw new Error("the operation does not exist");
			const paid = { tenantId, operationId, paymentId: randomUUID(), currency: "KES" };
			await receivePayment(parts, { ...paid, amountMinor: operation.amount });
			await servesStoredVersion(built, { tenantId, apiKey });
		},
		end: async () => {
			await built.close();
			await issuer.close();
			await database.drop();
		},
	};
}

/**
 * Resolves once the service answers with the stored subscription: caches are invalidated soon after a commit.
 */
async function servesStoredVersion(
	{ app, db }: BuiltService,
	{ tenantId, apiKey }: { tenantId: string; apiKey: string },
): Promise<void> {
	const [stored] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ version: number }>("select version from subscriptions where tenant_id = $1", [tenantId]),
	);
	const url = `/api/v1/tenants/${tenantId}/subscription`;
	await vi.waitUntil(
		async () => {
			const answer = await app.inject({ url, headers: { "x-api-key": apiKey } });
			return answer.json().version === stored?.version;
		},
		{ timeout: 15_000, interval: 5 },
	);
}
