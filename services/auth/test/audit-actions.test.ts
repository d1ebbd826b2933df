import { randomUUID } from "node:crypto";
import { discardRefused, republishSince } from "@lango/chassis";
import { type AuditAction, auditActions } from "@lango/contracts";
import { openPool, type Pool } from "@lango/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { announceAll, auth, foundPlatform } from "../src/service.ts";
import { type Firm, fresh, type Office, openOffice } from "./office.ts";
import {
	acceptedKey,
	apiKey,
	claimsOf,
	obtainCode,
	obtainTokens,
	openBrowser,
	password,
	setUpSignOn,
	tradeCode,
} from "./sign-on.ts";

// every audit action with its complete row: no name, no address of a person, no secret

const next = "Tembo-na-Simba-77";
const signOn = setUpSignOn(acceptedKey);
const office = openOffice(signOn);
let root: string;
let rootId: string;
let owner: Pool;
beforeAll(async () => {
	owner = openPool({ url: signOn.ownerUrl, name: "audit-actions-test", sizeMax: 1 });
	root = await office.tokenOf("root@lango.example");
	rootId = String(claimsOf(root).sub);
});
afterAll(() => owner.close());

type Method = Parameters<Office["call"]>[0];
type Response = Awaited<ReturnType<Office["call"]>>;
/** The members of a row besides the action; actor and tenant can be null. */
type Written = {
	subject: unknown;
	by: string | null;
	tenant: string | null;
	before?: unknown;
	after?: unknown;
};

const done = (response: Response): Response => {
	if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${response.body}`);
	return response;
};
const ask = async (
	method: Method,
	url: string,
	{ token = root, body }: { token?: string; body?: object } = {},
) => done(await office.call(method, `/api/v1/${url}`, { token, ...(body !== undefined && { body }) }));
/** Sends a request without a token. */
const open = async (url: string, body: object) =>
	done(await office.call("POST", `/api/v1/auth/${url}`, { body }));
/** Asks as the administrator of a firm. */
const within =
	({ slug, token }: Firm) =>
	(method: Method, path: string, body?: object) =>
		ask(method, `tenants/${slug}/${path}`, { token, ...(body !== undefined && { body }) });
const admin = (method: Method, path: string, body?: object) =>
	ask(method, `admin/${path}`, body === undefined ? {} : { body });
const command = () => ({ ...auth, service: "auth", db: signOn.db, now: () => signOn.now.at });
const byCommand = (detail: object) => ({
	by: null,
	tenant: null,
	subject: "auth",
	after: { by: "operator", ...detail },
});
/** The administrator of a new firm, as rows name them. */
const firmOf = async () => {
	const firm = await office.found();
	return { ...firm, row: { by: firm.userId, tenant: firm.tenantId } };
};
const memberOf = async (firm: Firm) => {
	const member = await office.join(firm.slug);
	await within(firm)("POST", `join-requests/${member.userId}/approve`);
	return member;
};
const outletOf = async (firm: Firm) => {
	const body = { code: "MAIN", name: "Main", use_case: "retail" };
	const { id } = (await within(firm)("POST", "outlets", body)).json();
	return { id, row: { ...body, id, is_hq: false, status: "active", settings: {}, version: 1 } };
};
const changedOutlet = async (change: object, act: (firm: Firm, path: string) => Promise<unknown>) => {
	const firm = await firmOf();
	const { id, row } = await outletOf(firm);
	await act(firm, `outlets/${id}`);
	return { ...firm.row, subject: id, before: row, after: { ...row, version: 2, ...change } };
};
const invited = async (firm: Firm) => {
	const body = { email: `${fresh("guest")}@guests.example`, roles: ["viewer"] };
	return (await within(firm)("POST", "invitations", body)).json<{ id: string; expires_at: string }>();
};
const registered = async () => {
	const body = {
		client_id: fresh("app"),
		name: "An app",
		redirect_uris: ["https://app.example/auth/callback"],
		scopes: ["openid"],
		public: false,
	};
	const { client_secret: _, ...client } = (await admin("POST", "clients", body)).json();
	return client;
};
/** What a person finds in their mail. */
const mailed = async (type: string, userId: string): Promise<string> => {
	const event = (await office.events(type, userId)).at(-1);
	const link = await office.call("GET", `/api/v1/auth/links/${event?.data.link_id}`, { headers: apiKey });
	return String(done(link).json().url).split("=")[1] ?? "";
};
const askReset = async () => {
	const { email, userId } = await office.found();
	await open("password/reset-request", { email });
	return userId;
};
const deadLetter = async (method: Method, path: string) => {
	const [type, reason] = ["subscription.entitlements_changed", "it is broken"];
	const [row] = await owner.query<{ id: string; about: string }>(
		`insert into deliveries (consumer, event_id, type, subject, body, received_at, attempts, is_held, reason, dead_at)
		 values ('auth', $1::uuid, $2, $1::uuid::text, '{}', now(), 10, true, $3, now()) returning position::text as id, subject as about`,
		[randomUUID(), type, reason],
	);
	await ask(method, `platform/dead-letters/${row?.id}${path}`);
	const after = { type, event_id: row?.about, subject: row?.about, reason, waiting: 0 };
	return { by: rootId, tenant: null, subject: row?.id, after };
};
type Status = { slug?: string; status: string };
/** What the platform's owner does to a tenant, each a call under its address. */
const tenantAction = async (
	calls: ReadonlyArray<readonly [Method, string, object?]>,
	from: string,
	to: Status,
) => {
	const { slug, tenantId } = await office.found();
	for (const [method, path, body] of calls) await admin(method, `tenants/${tenantId}${path}`, body);
	const change = { before: { slug, status: from }, after: { slug, ...to } };
	return { by: rootId, tenant: tenantId, subject: tenantId, ...change };
};
const personAction = async (verbs: readonly string[], change: object) => {
	const { userId } = await office.found();
	for (const verb of verbs) await admin("POST", `people/${userId}/${verb}`);
	return { by: rootId, tenant: null, subject: userId, ...change };
};
const changed = (from: string, to: string) => ({ before: { status: from }, after: { status: to } });

const actions: Record<AuditAction, () => Promise<Written>> = {
	"access.passed": async () => {
		const { slug, tenantId } = await firmOf();
		await ask("GET", `tenants/${slug}/settings`);
		const subject = "GET /api/v1/tenants/:slug/settings";
		return { by: rootId, tenant: tenantId, subject, after: { passed: ["tenant"] } };
	},
	"browser.signed_out": async () => {
		const firm = await firmOf();
		const { sid } = claimsOf((await openBrowser(signOn.app).signIn(firm.email)).json().access_token);
		const url = `/api/v1/auth/sessions/${sid}?browser=true`;
		done(await office.call("DELETE", url, { token: firm.token }));
		return { ...firm.row, subject: sid };
	},
	"client.changed": async () => {
		const before = await registered();
		await admin("PATCH", `clients/${before.client_id}`, { name: "Another", new_secret: true });
		const after = { ...before, name: "Another", has_new_secret: true };
		return { by: rootId, tenant: null, subject: before.client_id, before, after };
	},
	"client.registered": async () => {
		const after = await registered();
		return { by: rootId, tenant: null, subject: after.client_id, after };
	},
	"client.removed": async () => {
		const before = await registered();
		await admin("DELETE", `clients/${before.client_id}`);
		return { by: rootId, tenant: null, subject: before.client_id, before };
	},
	"dead_job.redriven": async () => {
		const [row] = await owner.query<{ id: string }>(
			`insert into pgboss.job (name, policy, source_name, source_retry_count, source_output)
			 select name, policy, 'sessions.purge', 2, '{"message": "no disk"}'
			   from pgboss.queue where name = 'sessions.purge.dead' returning id`,
		);
		await ask("POST", `platform/dead-jobs/${row?.id}/redrive`);
		return { by: rootId, tenant: null, subject: row?.id, after: { came_to: "redriven" } };
	},
	"dead_letter.discarded": () => deadLetter("DELETE", ""),
	"dead_letter.redriven": () => deadLetter("POST", "/redrive"),
	"email.verified": async () => {
		const { token, userId } = await office.found();
		await ask("POST", "auth/email/verification-request", { token, body: {} });
		const value = await mailed("auth.email.verification_requested", userId);
		await open("email/verify", { token: value, password: "Tembo-na-Simba-77" });
		return { by: userId, tenant: null, subject: userId };
	},
	"events.announced": async () => byCommand(await announceAll(signOn.db, { now: () => signOn.now.at })),
	"events.republished": async () => {
		const count = await republishSince(command(), new Date(0), { actor: { kind: "system", id: "operator" } });
		return byCommand({ since: new Date(0).toISOString(), count });
	},
	"invitation.created": async () => {
		const firm = await firmOf();
		const { id, expires_at } = await invited(firm);
		return {
			...firm.row,
			subject: id,
			after: { roles: ["viewer"], outlet_ids: [], is_hq: false, expires_at },
		};
	},
	"invitation.withdrawn": async () => {
		const firm = await firmOf();
		const { id } = await invited(firm);
		await within(firm)("DELETE", `invitations/${id}`);
		return { ...firm.row, subject: id, before: { roles: ["viewer"] } };
	},
	"join_request.approved": async () => {
		const firm = await firmOf();
		const { userId } = await memberOf(firm);
		const before = { roles: ["member"], status: "pending_review" };
		const after = { roles: ["member"], status: "active", outlet_ids: [], is_hq: false };
		return { ...firm.row, subject: userId, before, after };
	},
	"join_request.refused": async () => {
		const firm = await firmOf();
		const { userId } = await office.join(firm.slug);
		await within(firm)("POST", `join-requests/${userId}/refuse`);
		const before = { roles: ["member"], status: "pending_review" };
		return { ...firm.row, subject: userId, before, after: { status: "removed" } };
	},
	"key.revoked": async () => {
		const [key] = (await admin("GET", "keys")).json().items;
		await admin("POST", `keys/${key.kid}/revoke`);
		root = await office.tokenOf("root@lango.example");
		return { by: rootId, tenant: null, subject: key.kid };
	},
	"keys.rotated": async () => {
		await admin("POST", "keys/rotate");
		const steps = ["ES256", "RS256"].map((algorithm) => ({ kind: "make", algorithm, status: "pending" }));
		return { by: rootId, tenant: null, subject: "signing_keys", after: { steps } };
	},
	"member.joined": async () => {
		const firm = await office.found();
		const { userId } = await office.join(firm.slug);
		const after = { roles: ["member"], status: "pending_review", invitation_id: null };
		return { by: userId, tenant: firm.tenantId, subject: userId, after };
	},
	"member.outlets_changed": async () => {
		const firm = await firmOf();
		const { userId } = await memberOf(firm);
		const { id } = await outletOf(firm);
		await within(firm)("PUT", `members/${userId}/outlets`, { outlet_ids: [id], is_hq: true });
		const before = { outlet_ids: [], is_hq: false };
		return { ...firm.row, subject: userId, before, after: { outlet_ids: [id], is_hq: true } };
	},
	"member.removed": async () => {
		const firm = await firmOf();
		const { userId } = await memberOf(firm);
		await within(firm)("DELETE", `members/${userId}`);
		const before = { roles: ["member"], status: "active" };
		return { ...firm.row, subject: userId, before, after: { status: "removed" } };
	},
	"member.roles_changed": async () => {
		const firm = await firmOf();
		const { userId } = await memberOf(firm);
		await within(firm)("PUT", `members/${userId}/roles`, { roles: ["viewer"] });
		return { ...firm.row, subject: userId, before: { roles: ["member"] }, after: { roles: ["viewer"] } };
	},
	"outlet.archived": () =>
		changedOutlet({ status: "archived" }, (firm, path) => within(firm)("DELETE", path)),
	"outlet.changed": () =>
		changedOutlet({ name: "Second" }, (firm, path) => within(firm)("PATCH", path, { name: "Second" })),
	"outlet.opened": async () => {
		const firm = await firmOf();
		const [hq] = (await office.call("GET", `/api/v1/tenants/${firm.slug}/outlets`)).json();
		const { id, row } = await outletOf(firm);
		return { ...firm.row, subject: id, after: { ...row, assigned_outlet_id: hq.id, assigned_members: 1 } };
	},
	"outlet.restored": async () => {
		const archived = await changedOutlet({ status: "archived", version: 3 }, async (firm, path) => {
			await within(firm)("DELETE", path);
			await within(firm)("POST", `${path}/restore`);
		});
		return {
			...archived,
			before: { ...archived.after, version: 2 },
			after: { ...archived.before, version: 3 },
		};
	},
	"password.changed": async () => {
		const { token, userId } = await office.found();
		const body = { current_password: password, new_password: next };
		await ask("POST", "auth/password/change", { token, body });
		return { by: userId, tenant: null, subject: userId };
	},
	"password.reset": async () => {
		const userId = await askReset();
		const token = await mailed("auth.password.reset_requested", userId);
		await open("password/reset", { token, password: next });
		return { by: userId, tenant: null, subject: userId };
	},
	"password.reset_requested": async () => ({ by: null, tenant: null, subject: await askReset() }),
	"platform.founded": async () => {
		const slug = fresh("gatekeepers");
		const email = `${slug}@gate.example`;
		const founding = { slug, tenantName: "Gate", email, name: "Zawadi Njenga", password: next };
		const { tenantId, userId } = await foundPlatform(signOn.db, { ...founding, now: signOn.now.at });
		return { by: userId, tenant: tenantId, subject: tenantId, after: { slug, superuser_id: userId } };
	},
	"refused_event.discarded": async () => {
		const [type, id] = ["auth.user.deleted", randomUUID()];
		const [row] = await owner.query<{ position: string }>(
			`insert into outbox (type, subject, envelope, attempts, next_attempt_at)
			 values ($1::text, $2::text, jsonb_build_object('id', $2, 'type', $1, 'subject', $2), 7, now() + interval '1 hour') returning position::text`,
			[type, id],
		);
		const by = { actor: { kind: "user", id: rootId }, requestId: "by-hand", address: "127.0.0.1" } as const;
		await discardRefused(command(), row?.position ?? "", by);
		const after = { type, event_id: id, subject: id, attempts: 7 };
		return { by: rootId, tenant: null, subject: row?.position, after };
	},
	"session.code_used_twice": async () => {
		const browser = openBrowser(signOn.app);
		await browser.signIn("admin@uhai.example");
		const code = await obtainCode(browser);
		const { sid, sub, tenant_id } = claimsOf((await tradeCode(signOn.app, code)).json().access_token);
		await tradeCode(signOn.app, code);
		return { by: null, tenant: String(tenant_id), subject: sid, after: { user_id: sub } };
	},
	"session.ended": async () => {
		const firm = await firmOf();
		const { sid } = claimsOf(await office.tokenOf(firm.email));
		await ask("DELETE", `auth/sessions/${sid}`, { token: firm.token });
		return { ...firm.row, subject: sid };
	},
	"session.refresh_token_reused": async () => {
		const first = await obtainTokens(signOn.app, "admin@uhai.example");
		const { sid, sub, tenant_id } = claimsOf(first.access_token);
		await signOn.refresh((await signOn.refresh(first.refresh_token)).json().refresh_token);
		await signOn.refresh(first.refresh_token);
		return { by: null, tenant: String(tenant_id), subject: sid, after: { user_id: sub } };
	},
	"session.started": async () => {
		const firm = await firmOf();
		const { sid } = claimsOf(await office.tokenOf(firm.email));
		return { ...firm.row, subject: sid, after: { client_id: "auth-ui", device: "unknown" } };
	},
	"sessions.ended": async () => {
		const firm = await firmOf();
		await ask("DELETE", "auth/sessions", { token: firm.token });
		return { ...firm.row, subject: firm.userId };
	},
	"tenant.created": async () => {
		const { row, slug, tenantId, userId } = await firmOf();
		const after = { slug, use_case: "retail", outlet_id: expect.any(String), admin_user_id: userId };
		return { ...row, subject: tenantId, after };
	},
	"tenant.erased": () => tenantAction([["DELETE", ""]], "active", { status: "deleted" }),
	"tenant.renamed": () => {
		const slug = fresh("renamed");
		return tenantAction([["PATCH", "", { slug }]], "active", { slug, status: "active" });
	},
	"tenant.resumed": () => {
		const calls = [
			["POST", "/suspend"],
			["POST", "/resume"],
		] as const;
		return tenantAction(calls, "suspended", { status: "active" });
	},
	"tenant.settings_changed": async () => {
		const firm = await firmOf();
		const before = (await within(firm)("GET", "settings")).json();
		await within(firm)("PATCH", "settings", { join_policy: "open" });
		return { ...firm.row, subject: firm.tenantId, before, after: { ...before, join_policy: "open" } };
	},
	"tenant.suspended": () => tenantAction([["POST", "/suspend"]], "active", { status: "suspended" }),
	"user.disabled": () => personAction(["disable"], changed("active", "disabled")),
	"user.enabled": () => personAction(["disable", "enable"], changed("disabled", "active")),
	"user.erased": async () => {
		const { userId } = await office.found();
		await admin("DELETE", `people/${userId}`);
		return { by: rootId, tenant: null, subject: userId };
	},
};

test.each(auditActions)("%s is on record: who did it, to what, where, and what changed", async (action) => {
	// Entries of different tenants at the same time are in no order on a cluster.
	signOn.now.forward(1);
	const { by, tenant, ...written } = await actions[action]();
	const rows: Array<{ action: string }> = (await admin("GET", "audit?limit=10")).json().items;
	expect(rows.find((row) => row.action === action)).toEqual({
		before: null,
		after: null,
		...written,
		id: expect.any(String),
		at: signOn.now.at.toISOString(),
		action,
		actor_user_id: by,
		tenant_id: tenant,
		ip: action.startsWith("events.") ? null : "127.0.0.1",
		request_id: action.startsWith("events.") ? null : expect.any(String),
	});
});
