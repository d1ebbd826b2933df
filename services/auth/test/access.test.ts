import { callMatrix, type MatrixRoute, routesOfDocument, testSubscription } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import type { InjectOptions } from "fastify";
import { beforeAll, expect, test } from "vitest";
import { fresh, openOffice } from "./office.ts";
import { backend, form, password, postToken, setUpSignOn, unknownId } from "./sign-on.ts";

// The answer of every route to every kind of caller. Ids in addresses do not exist: 404 means that the
// caller may use the route, or that the tenant in the address is not theirs; the last test distinguishes
// the two.

const key = mintApiKey().text;
const signOn = setUpSignOn({ AUTH_API_KEYS: `test:tenants.read+links.read+recipients.read:${key}` });
const office = openOffice(signOn);
let callers: readonly Caller[];
beforeAll(async () => {
	const uhai = signOn.tenants.get("uhai") ?? "";
	signOn.subscriptions.answers.set(uhai, testSubscription(uhai, { features: ["multi_outlet"] }));
	const member = await office.join("uhai");
	const admin = await office.tokenOf("admin@uhai.example");
	const approve = `/api/v1/tenants/uhai/join-requests/${member.userId}/approve`;
	expect((await office.call("POST", approve, { token: admin, body: {} })).statusCode).toBe(204);
	const pending = await office.join("uhai");
	const own = await postToken(signOn.app, { grant_type: "client_credentials", ...backend });
	const program = `Bearer ${own.json().access_token}`;
	const root = await office.tokenOf("root@lango.example");
	const registered = { ...bodies["POST /api/v1/admin/clients"]?.(), client_id: clientId };
	const body = { ...registered, scopes: ["openid", "profile", "email", "tenant", "roles"] };
	expect((await office.call("POST", "/api/v1/admin/clients", { token: root, body })).statusCode).toBe(201);
	callers = [
		{ name: "no token" },
		{ name: "member", email: member.email },
		{ name: "pending", email: pending.email },
		{ name: "admin", email: "admin@uhai.example" },
		{ name: "other's", email: "owner@kahawa.example" },
		{ name: "superuser", email: "root@lango.example" },
		{ name: "client", headers: { authorization: program } },
		{ name: "3rd party", email: "root@lango.example", clientId },
		{ name: "API key", headers: { "x-api-key": key } },
	];
});

/** A client without lango.api, which cannot call the routes of this service for any user. */
const clientId = "third-party";
/**
 * A kind of caller: a user who signs in, at a first-party client by default, or the credential of a
 * program.
 */
type Caller = { name: string; email?: string; clientId?: string; headers?: Record<string, string> };

/** By e-mail address, then by client. */
const tokens = new Map<string, Map<string | undefined, string>>();
/** A person signs in once to a client, and again to each after what may end their sessions. */
async function headersOf(
	{ email, clientId: client_id, headers = {} }: Caller,
	isFresh: boolean,
): Promise<Record<string, string>> {
	if (email === undefined) return headers;
	const kept = tokens.get(email)?.get(client_id);
	const token =
		kept === undefined || isFresh
			? await office.tokenOf(email, client_id === undefined ? {} : { client_id })
			: kept;
	if (isFresh) tokens.delete(email);
	else tokens.set(email, (tokens.get(email) ?? new Map()).set(client_id, token));
	return { authorization: `Bearer ${token}` };
}

const organization = () => ({ name: "New", slug: fresh("new"), org_size: "1-10", use_case: "retail" });
const person = () => ({ name: "New", email: `${fresh("new")}@new.example`, password });
/** What is sent where a body is needed: what the route takes, if only the caller may. */
const bodies: Readonly<Record<string, () => object>> = {
	"POST /api/v1/admin/clients": () => ({
		client_id: fresh("app"),
		name: "App",
		redirect_uris: ["https://app.example/callback"],
		scopes: ["openid"],
		public: true,
	}),
	"PATCH /api/v1/admin/clients/:client_id": () => ({ name: "App" }),
	"PATCH /api/v1/admin/tenants/:id": () => ({ slug: fresh("firm") }),
	"POST /api/v1/auth/email/verify": () => ({ token: "x", password: "Tembo-na-Simba-77" }),
	"PATCH /api/v1/auth/me": () => ({}),
	"POST /api/v1/auth/join": () => ({ tenant_slug: "duka" }),
	"POST /api/v1/auth/login": () => ({ email: "admin@uhai.example", password, tenant_slug: "" }),
	"POST /api/v1/auth/password/change": () => ({ current_password: password, new_password: password }),
	"POST /api/v1/auth/password/reset": () => ({ token: "x", password }),
	"POST /api/v1/auth/password/reset-request": () => ({ email: "unknown@nowhere.example" }),
	"POST /api/v1/auth/refresh": () => ({ refresh_token: "x", client_id: "cafe-website" }),
	"POST /api/v1/auth/register": () => ({
		...person(),
		org_action: "create_new",
		organization: organization(),
	}),
	"POST /api/v1/auth/select-outlet": () => ({ ssoExchangeToken: "x", outletId: unknownId }),
	"POST /api/v1/introspect": () => ({ ...backend, token: "x" }),
	"POST /api/v1/revoke": () => ({ ...backend, token: "x" }),
	"POST /api/v1/tenants": () => ({ organization: organization() }),
	"POST /api/v1/tenants/:slug/invitations": () => ({ email: person().email, roles: ["viewer"] }),
	"POST /api/v1/tenants/:slug/join-requests/:id/approve": () => ({}),
	"PUT /api/v1/tenants/:slug/members/:user_id/outlets": () => ({ outlet_ids: [] }),
	"PUT /api/v1/tenants/:slug/members/:user_id/roles": () => ({ roles: ["viewer"] }),
	"POST /api/v1/tenants/:slug/outlets": () => ({ code: fresh("O"), name: "New", use_case: "retail" }),
	"PATCH /api/v1/tenants/:slug/outlets/:id": () => ({ name: "New" }),
	"PATCH /api/v1/tenants/:slug/settings": () => ({}),
	"POST /api/v1/token": () => ({ grant_type: "client_credentials", ...backend }),
};
/** They take a form only. */
const forms = new Set([
	"POST /api/v1/authorize",
	"POST /api/v1/introspect",
	"POST /api/v1/oidc/logout",
	"POST /api/v1/revoke",
	"POST /api/v1/token",
]);
/** They end sessions of the caller. */
const ending = new Set([
	"POST /api/v1/auth/logout",
	"POST /api/v1/auth/password/change",
	"DELETE /api/v1/auth/sessions",
]);

async function answerOf({ method, url }: MatrixRoute, caller: Caller, slug = "uhai") {
	const route = `${method} ${url}`;
	const body = bodies[route]?.();
	const request: InjectOptions = {
		method: method as NonNullable<InjectOptions["method"]>,
		url: url
			.replace(":slug", slug)
			.replaceAll(/:(id|user_id|client_id|kid)\b/g, unknownId)
			.replace(":hash", "0".repeat(64)),
		headers: { ...(forms.has(route) && form), ...(await headersOf(caller, ending.has(route))) },
		...(body !== undefined && {
			payload: forms.has(route) ? new URLSearchParams(body as Record<string, string>).toString() : body,
		}),
	};
	return signOn.app.inject(request);
}

const routes = () => [
	...routesOfDocument(signOn.app.swagger(), "/api/"),
	...routesOfDocument(signOn.app.swagger(), "/.well-known/"),
];

test("every route answers every kind of caller as the reviewed policy in access.txt says", async () => {
	const matrix = await callMatrix({
		callers,
		routes: routes(),
		call: async (route, caller) => (await answerOf(route, caller)).statusCode,
	});
	await expect(matrix).toMatchFileSnapshot("access.txt");
}, 60_000);

test("every request of the table has an existing route", () => {
	const known = new Set(routes().map(({ method, url }) => `${method} ${url}`));
	expect([...Object.keys(bodies), ...forms, ...ending].filter((route) => !known.has(route))).toEqual([]);
});

test("every guarded route with a tenant answers the administrator of another as if there were no such tenant", async () => {
	const others = callers.find(({ name }) => name === "other's");
	if (others === undefined) throw new Error("the other's administrator is among the callers");
	/** For anybody, and for programs with an API key, which are of no tenant. */
	const unguarded = ["GET /api/v1/tenants/:slug/outlets", "GET /api/v1/tenants/:slug/outlet-settings"];
	const guarded = routes().filter(
		({ method, url }) => /\/tenants\/:slug\//.test(url) && !unguarded.includes(`${method} ${url}`),
	);
	expect(guarded.length).toBeGreaterThan(12);
	for (const route of guarded) {
		const [theirs, none] = [await answerOf(route, others), await answerOf(route, others, "nowhere")];
		const contentOf = (answer: typeof theirs) => {
			const { error, code } = answer.json();
			return { status: answer.statusCode, error, code };
		};
		expect(contentOf(theirs), `${route.method} ${route.url}`).toMatchObject({
			status: 404,
			code: "tenant_not_found",
		});
		expect(contentOf(theirs)).toEqual(contentOf(none));
	}
});
