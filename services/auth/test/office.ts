import { inTenant } from "@lango/postgres";
import { testSubscription } from "@lango/testkit";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { password, type SignOn } from "./sign-on.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What tests of administration do over and over, against one sign-on service. */
export type Office = ReturnType<typeof openOffice>;

/** A tenant and the person who registered it, who administrates it. */
export type Firm = Awaited<ReturnType<Office["found"]>>;

let made = 0;
/** A unique word in this run. */
export const fresh = (prefix = "t"): string => {
	made += 1;
	return `${prefix}-${made}`;
};

export function openOffice(signOn: SignOn) {
	const call = (
		method: Method,
		url: string,
		options: { token?: string; body?: object; headers?: object } = {},
	) => {
		const request: InjectOptions = {
			method,
			url,
			headers: {
				...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
				...options.headers,
			},
			...(options.body !== undefined && { payload: options.body }),
		};
		return signOn.app.inject(request);
	};
	const signIn = async (email: string, more: object = {}): Promise<LightMyRequestResponse> =>
		call("POST", "/api/v1/auth/login", { body: { email, password, tenant_slug: "", ...more } });
	const register = (body: object = {}) =>
		call("POST", "/api/v1/auth/register", {
			body: { name: "Zawadi Maina", email: `${fresh("zawadi")}@new.example`, password, ...body },
		});

	return {
		call,
		signIn,
		register,
		/** The access token of a person who signs in. */
		tokenOf: async (email: string, more: object = {}): Promise<string> => {
			const response = await signIn(email, more);
			if (response.statusCode !== 200) throw new Error(`${email} does not sign in: ${response.body}`);
			return response.json().access_token;
		},
		/** Registers somebody with a tenant of their own. */
		found: async (slug = fresh("firm")) => {
			const email = `${fresh("boss")}@${slug}.example`;
			const response = await register({
				email,
				org_action: "create_new",
				organization: { name: `Firm ${slug}`, slug, org_size: "1-10", use_case: "retail" },
			});
			if (response.statusCode !== 201) throw new Error(`no tenant: ${response.body}`);
			const { tenant, user } = response.json();
			const plan = testSubscription(tenant.id, { features: ["multi_outlet"] });
			signOn.subscriptions.answers.set(tenant.id, plan);
			const token: string = (await signIn(email)).json().access_token;
			return { slug, email, token, tenantId: tenant.id as string, userId: user.id as string };
		},
		/** Registers somebody into a tenant. */
		join: async (slug: string, more: object = {}) => {
			const email = `${fresh("joiner")}@${slug}.example`;
			const response = await register({ email, org_action: "join_existing", tenant_slug: slug, ...more });
			if (response.statusCode !== 201) throw new Error(`registration failed: ${response.body}`);
			return { email, userId: response.json().user.id as string, status: response.json().status as string };
		},
		/** The events of a type about a subject, in the order they were written. */
		events: async (type: string, subject?: string) => {
			const rows = await signOn.db.query<{ envelope: { data: Record<string, unknown>; tenantid?: string } }>(
				"select envelope from outbox where type = $1 and ($2::text is null or subject = $2) order by position",
				[type, subject ?? null],
			);
			return rows.map(({ envelope }) => envelope);
		},
		/** The changes in the audit log of a tenant as its administrator sees them, the latest first. */
		audit: async (slug: string, token: string): Promise<Array<Record<string, unknown>>> => {
			const { items } = (await call("GET", `/api/v1/tenants/${slug}/audit?limit=200`, { token })).json();
			return items.filter(({ action }: { action: string }) => action !== "session.started");
		},
	};
}

/** Gives a person more sessions of a client, as if they had signed in so often. */
export async function openSessions(
	{ db, now }: SignOn,
	{ count, email, clientId }: { count: number; email: string; clientId: string },
): Promise<void> {
	const [who] = await db.query<{ user_id: string; tenant_id: string }>(
		"select id as user_id, primary_tenant_id as tenant_id from users where email = $1",
		[email],
	);
	const { user_id, tenant_id = "" } = who ?? {};
	await inTenant(db, tenant_id, (tx) =>
		tx.query(
			`insert into sessions (id, tenant_id, user_id, client_id, scope, auth_time, amr, idle_expires_at, expires_at)
			 select gen_random_uuid(), $1, $2, c.id, 'openid', $4, '{pwd}', 'infinity', 'infinity'
			   from clients c, generate_series(1, $5::int) where c.client_id = $3 on conflict do nothing`,
			[tenant_id, user_id, clientId, now.at, count],
		),
	);
}
