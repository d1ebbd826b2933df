import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parts } from "../../tools/up.ts";
import type { SharedConsole } from "./console-visit.ts";

type Answer = { status: number; body: Record<string, unknown> };
type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A tenant of a test's own, with its administrator, and the platform's owner beside it. */
export type ConsoleTenant = {
	id: string;
	slug: string;
	/** Its administrator's address; the password is the demo's. */
	email: string;
	/** Asks about the tenant's subscription as its administrator. Throws when that is refused. */
	ask: (method: Method, path: string, body?: object) => Promise<Answer>;
	/** Asks the treasury about the tenant, as its administrator. Throws when that is refused. */
	collects: (method: Method, path: string, body?: object) => Promise<Answer>;
	/** Waits until an answer about the tenant's subscription satisfies the check. Throws after 30 s. */
	reaches: (path: string, check: (body: { status?: string; items?: unknown[] }) => boolean) => Promise<void>;
	/** Says how the tenant's payments turn out from now on. */
	answers: (answer: "pays" | "refuses" | "silent") => Promise<void>;
	/** Moves the tenant's own clock so many days on from where it was. */
	daysPass: (days: number) => Promise<void>;
	/** Makes a further tenant, whose administrator is the same person; answers its slug. */
	adds: (name: string) => Promise<string>;
	/** Suspends a tenant, as the platform's owner. */
	suspends: (slug: string) => Promise<void>;
	/** Sends a message, as its administrator. */
	sends: (message: object) => Promise<void>;
	/** Reports usage, as a service would. */
	uses: (metric: string, value: number) => Promise<void>;
	/** Pays for a plan from now on: a trial, its payment, and the trial's end. */
	paysFor: (plan: string) => Promise<void>;
};

const patienceMilliseconds = 30_000;
let made = 0;

/**
 * Registers a new tenant over the platform's own routes, with the plan its administrator chose then; it
 * subscribes to `plan`, if one is given.
 */
export async function registerTenant(
	{ urls }: Pick<SharedConsole, "urls">,
	{ selectedPlan, plan }: { selectedPlan?: string; plan?: string } = {},
): Promise<ConsoleTenant> {
	made += 1;
	const slug = `soko-${made}-${Date.now().toString(36)}`;
	const email = `owner@${slug}.example`;
	await must(`${urls.auth}/api/v1/auth/register`, "POST", {
		body: {
			...{ name: "Amina Soko", email, password: parts.password, org_action: "create_new" },
			organization: { name: `Soko ${made}`, slug, use_case: "retail" },
			...(selectedPlan !== undefined && { selected_plan: selectedPlan }),
		},
	});
	const [token, root] = await Promise.all([
		tokenOf(urls.auth, email),
		tokenOf(urls.auth, "root@lango.example"),
	]);
	const id = String((await must(`${urls.auth}/api/v1/tenants/by-slug/${slug}`, "GET")).body["id"]);
	const base = `${urls.subscriptions}/api/v1`;
	let clock = Date.now();
	const ask: ConsoleTenant["ask"] = (method, path, body) =>
		must(`${base}/tenants/${id}/subscription${path}`, method, { token, body });
	if (plan !== undefined) await ask("POST", "", { plan });
	const daysPass = async (days: number) => {
		clock += days * 86_400_000;
		const body = { now: new Date(clock).toISOString() };
		await must(`${base}/test-clock/${id}`, "PUT", { token: root, body });
	};
	return {
		id,
		slug,
		email,
		ask,
		daysPass,
		collects: (method, path, body) =>
			must(`${urls.treasury}/api/v1/${slug}/treasury${path}`, method, { token, body, key: randomUUID() }),
		reaches: (path, check) => until(async () => check((await ask("GET", path)).body)),
		answers: async (answer) => {
			await must(`${base}/sandbox/billing/${id}`, "PUT", { token: root, body: { answer } });
		},
		adds: async (name) => {
			const organization = { name, slug: `${slug}-too`, use_case: "retail" };
			await must(`${urls.auth}/api/v1/tenants`, "POST", { token, body: { organization } });
			return organization.slug;
		},
		suspends: async (which) => {
			const tenant = (await must(`${urls.auth}/api/v1/tenants/by-slug/${which}`, "GET")).body;
			await must(`${urls.auth}/api/v1/admin/tenants/${tenant["id"]}/suspend`, "POST", { token: root });
		},
		sends: async (message) => {
			await must(`${urls.notifications}/${slug}/notifications/messages`, "POST", { token, body: message });
		},
		uses: async (metric, value) => {
			const events = [{ id: `${slug}-${metric}`, metric, value, at: new Date(clock).toISOString() }];
			await must(`${base}/tenants/${id}/usage`, "POST", { token, body: { events } });
		},
		paysFor: async (plan) => {
			await ask("POST", "", { plan });
			await ask("POST", "/checkout", { plan });
			await until(async () => (await ask("GET", "")).body["status"] === "ACTIVE");
			await daysPass(15);
		},
	};
}

/** Waits for what happens by itself. Throws when it does not. */
export async function until(check: () => Promise<boolean>): Promise<void> {
	const late = performance.now() + patienceMilliseconds;
	while (!(await check())) {
		if (performance.now() > late) throw new Error("it never came about");
		await sleep(100);
	}
}

/** Offers a plan that is paid by the year, as the platform's owner. */
export async function offerYearly(
	{ urls }: Pick<SharedConsole, "urls">,
	plan: { code: string; name: string },
): Promise<void> {
	const token = await tokenOf(urls.auth, "root@lango.example");
	const plans = `${urls.subscriptions}/api/v1/admin/plans`;
	await must(plans, "POST", { token, body: { ...plan, position: 21 } });
	await must(`${plans}/${plan.code}/versions`, "POST", {
		token,
		body: {
			...{ bundle: "professional", price_minor: 4_500_000, currency: "KES", interval: "year" },
			...{ trial_days: 14, grace_days: 7, features: ["multi_outlet"], overage: {} },
			limits: { max_admins: 5, max_orders_per_day: -1 },
		},
	});
}

/** Makes a further superuser of the platform owner, who accepts an invitation. Returns the e-mail address. */
export async function addOperator({ urls }: Pick<SharedConsole, "urls">): Promise<string> {
	const token = await tokenOf(urls.auth, "root@lango.example");
	const email = `operator-${randomUUID()}@lango.example`;
	const invited = await must(`${urls.auth}/api/v1/tenants/lango/invitations`, "POST", {
		...{ token, body: { email, roles: ["superuser"] } },
	});
	const person = { name: "Brian Kamau", email, password: parts.password, org_action: "join_existing" };
	const body = { ...person, invitation: invited.body["token"] };
	await must(`${urls.auth}/api/v1/auth/register`, "POST", { body });
	return email;
}

/** Makes the treasury read the settlements of the last day, as the platform's owner. */
export async function fetchSettlements({ urls }: Pick<SharedConsole, "urls">): Promise<void> {
	const token = await tokenOf(urls.auth, "root@lango.example");
	const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
	await must(`${urls.treasury}/api/v1/platform/settlements/fetch`, "POST", { token, body: { from, to } });
}

/** Reads the money at gateways, as the platform's owner. */
export async function readSummary({ urls }: Pick<SharedConsole, "urls">): Promise<Answer["body"]> {
	const token = await tokenOf(urls.auth, "root@lango.example");
	return (await must(`${urls.treasury}/api/v1/platform/treasury-summary`, "GET", { token })).body;
}

/** Makes the gateway confirm what comes to the platform's paybill, as the platform's owner. */
export async function registerPaybill({ urls }: Pick<SharedConsole, "urls">): Promise<void> {
	const token = await tokenOf(urls.auth, "root@lango.example");
	const { body } = await must(`${urls.auth}/api/v1/tenants/by-slug/lango`, "GET");
	const of = `tenantId=${body["id"]}`;
	await must(`${urls.treasury}/api/v1/lango/treasury/mobile-money/urls?${of}`, "POST", { token });
}

async function tokenOf(authUrl: string, email: string): Promise<string> {
	const body = { email, password: parts.password, tenant_slug: "" };
	return String((await must(`${authUrl}/api/v1/auth/login`, "POST", { body })).body["access_token"]);
}

type Sent = { token?: string; body?: object | undefined; key?: string };

/** The response, which must be a success. Throws otherwise. */
async function must(url: string, method: Method, { token, body, key }: Sent = {}): Promise<Answer> {
	const answer = await fetch(url, {
		method,
		headers: {
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { "content-type": "application/json" }),
			...(key !== undefined && { "idempotency-key": key }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
		signal: AbortSignal.timeout(15_000),
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`);
	return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}
