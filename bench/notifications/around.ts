import { randomUUID } from "node:crypto";
import { startTestIssuer, startTestSubscriptions, testSubscription, testTenant } from "@lango/testkit";
import type { Sender } from "./load-process.ts";
import type { Options } from "./options.ts";

/** A person of the first tenant, and the token of that person. */
export type Person = { id: string; token: string };

/** Starts the issuer and the subscription service, with a tenant and an administrator for each sender. */
export async function startAround(
	{ tenants: count }: Pick<Options, "tenants">,
	stops: Array<() => Promise<unknown>>,
) {
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	stops.push(
		() => issuer.close(),
		() => subscriptions.close(),
	);
	const tenants = Array.from({ length: count }, (_none, at) => testTenant(`tenant-${at + 1}`));
	issuer.tenants.push(...tenants);
	const plan = { products: ["notifications"], limits: { max_emails_per_day: -1 }, features: [] };
	for (const { id } of tenants) subscriptions.records.set(id, testSubscription(id, plan));
	const senders = tenants.map(({ id, slug }): Sender => {
		const claims = { tenant_id: id, tenant_slug: slug, roles: ["admin"], email: `admin@${slug}.example` };
		const token = issuer.token({ ...claims, name: "Admin", sub: randomUUID() });
		return { path: `/api/v1/${slug}/notifications/messages`, token };
	});
	const environment = {
		AUTH_URL: issuer.url,
		SUBSCRIPTIONS_URL: subscriptions.url,
		NOTIFICATIONS_SNAPSHOT_READ_KEY: subscriptions.apiKey,
		NOTIFICATIONS_LINKS_READ_KEY: subscriptions.apiKey,
		NOTIFICATIONS_RECIPIENTS_READ_KEY: subscriptions.apiKey,
		NOTIFICATIONS_USAGE_REPORT_KEY: subscriptions.apiKey,
	};
	const [first] = tenants;
	if (first === undefined) throw new Error("there are no tenants");
	const makePeople = (many: number): Person[] =>
		Array.from({ length: many }, () => {
			const id = randomUUID();
			const claims = { tenant_id: first.id, tenant_slug: first.slug, roles: ["staff"], name: "Amina" };
			return { id, token: issuer.token({ ...claims, sub: id, email: `${id}@bench.example` }) };
		});
	const streamPath = `/api/v1/${first.slug}/notifications/inbox/stream`;
	return { environment, senders, tenantId: first.id, makePeople, streamPath };
}
