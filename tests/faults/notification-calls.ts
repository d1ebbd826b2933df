import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { type TestIssuer, type TestSubscriptions, testSubscription, testTenant } from "@lango/testkit";
import type { Replica } from "./replica.ts";

/** A request to a process: about the tenant without a slug, by its administrator without a token. */
type Call = Partial<Record<"slug" | "token", string>> & {
	method?: "GET" | "POST" | "PUT";
	headers?: object;
	body?: object;
};
type Answer = { status: number; headers: Headers; body: Record<string, unknown> };
type More = { key?: string; sendAt?: Date; channel?: "email" | "sms" | "in_app"; data?: object };

const greeting = { name: "Amina", title: "Results are ready", message: "Please call the ward before noon." };
const action_link = "https://uhai.example/results";

/** A tenant that may send without a limit and the platform owner's, and how their people call processes. */
export function admitTenants(issuer: TestIssuer, subscriptions: TestSubscriptions) {
	const plan = { products: ["notifications"], limits: { max_emails_per_day: -1 }, features: [] };
	const [tenant, platform] = [testTenant("uhai"), testTenant("lango")];
	for (const one of [tenant, platform]) {
		issuer.tenants.push(one);
		subscriptions.records.set(one.id, testSubscription(one.id, plan));
	}
	const tokenOf = ({ id, slug }: PublicTenant, role: string, claims: object = {}) => {
		const about = { tenant_id: id, tenant_slug: slug, roles: [role], name: role };
		return issuer.token({ ...about, email: `${role}@${slug}.example`, sub: randomUUID(), ...claims });
	};
	const admin = tokenOf(tenant, "admin");
	/** Calls a path of a tenant; undefined if no response came. */
	async function call(at: Replica, path: string, more: Call = {}): Promise<Answer | undefined> {
		const { token = admin, slug = tenant.slug, headers = {}, body } = more;
		const response = await fetch(`${at.url}/api/v1/${slug}/notifications${path}`, {
			method: more.method ?? (body === undefined ? "GET" : "POST"),
			headers: {
				...{ authorization: `Bearer ${token}`, ...headers },
				...(body !== undefined && { "content-type": "application/json" }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		}).catch(() => undefined);
		const answered = (await response?.json().catch(() => undefined)) as Answer["body"] | undefined;
		if (response === undefined || answered === undefined) return undefined;
		return { status: response.status, headers: response.headers, body: answered };
	}
	/** Posts a message of the tenant to an address; undefined if no response came. */
	async function send(at: Replica, to: string, { key, sendAt, channel = "email", data }: More = {}) {
		const answer = await call(at, "/messages", {
			...(key !== undefined && { headers: { "idempotency-key": key } }),
			body: {
				...{ channel, template: "shared/generic_notification", to: [to] },
				data: { ...greeting, action_link, ...data },
				...(channel === "sms" && { metadata: { provider: "sandbox-africastalking" } }),
				...(sendAt !== undefined && { send_at: sendAt }),
			},
		});
		return answer && { ...answer, id: String(answer.body["requestId"]) };
	}
	return { tenant, platform, tokenOf, call, send };
}
