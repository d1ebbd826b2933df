import { beforeAll, expect, test } from "vitest";
import { bearer, claimsOf, obtainTokens, setUpSignOn } from "./sign-on.ts";

// what the platform's owner does about jobs whose last try failed

const signOn = setUpSignOn();
let root: string;
beforeAll(async () => {
	root = await tokenOf("root@lango.example");
});

const tokenOf = async (email: string) => (await obtainTokens(signOn.app, email)).access_token;
const call = async (token: string | undefined, method: "GET" | "POST", path = "") =>
	signOn.app.inject({
		method,
		url: `/api/v1/platform/dead-jobs${path}`,
		headers: token === undefined ? {} : bearer(token),
	});

/** Lays one among the dead letters as the queue does after its last try. */
const die = async (reason: string) => {
	const [row] = await signOn.db.query<{ id: string }>(
		`insert into pgboss.job (name, policy, source_name, source_retry_count, source_output)
		 select name, policy, 'sessions.purge', 2, jsonb_build_object('message', $1::text)
		   from pgboss.queue where name = 'sessions.purge.dead' returning id`,
		[reason],
	);
	return row?.id ?? "";
};

test("the platform's owner lists dead jobs in pages and puts one back into its queue", async () => {
	const [first, second] = [await die("no disk"), await die("no net")];
	const page = (await call(root, "GET", "?limit=1")).json();
	expect(page.items).toEqual([
		{
			id: first,
			job: "sessions.purge",
			about: null,
			reason: "no disk",
			tries: 3,
			died_at: expect.stringMatching(/^\d{4}-/),
		},
	]);
	const next = (await call(root, "GET", `?limit=1&cursor=${page.next_cursor}`)).json();
	expect([next.items[0].id, next.next_cursor]).toEqual([second, null]);
	const redriven = await call(root, "POST", `/${first}/redrive`);
	expect([redriven.statusCode, redriven.json().redriven]).toEqual([202, expect.any(Boolean)]);
	expect((await call(root, "GET")).json().items).toHaveLength(1);
	const headers = bearer(root);
	const audit = await signOn.app.inject({ url: "/api/v1/admin/audit?limit=1", headers });
	const row = {
		action: "dead_job.redriven",
		subject: first,
		actor_user_id: claimsOf(root).sub,
		tenant_id: null,
	};
	expect(audit.json().items).toMatchObject([row]);
});

test.each([
	["POST", "/0190a5c0-0000-7000-8000-000000000000/redrive", 404],
	["POST", "/one/redrive", 400],
	["GET", "?cursor=x", 400],
	["GET", "?limit=201", 400],
] as const)("%s %s by the owner is refused with %i", async (method, path, status) => {
	expect((await call(root, method, path)).statusCode).toBe(status);
});

test("listing and redriving dead jobs is refused for a tenant administrator and without a token", async () => {
	const admin = await tokenOf("admin@uhai.example");
	const redrive = "/0190a5c0-0000-7000-8000-000000000000/redrive";
	expect((await call(admin, "GET")).statusCode).toBe(403);
	expect((await call(admin, "POST", redrive)).statusCode).toBe(403);
	expect((await call(undefined, "GET")).statusCode).toBe(401);
	expect((await call(undefined, "POST", redrive)).statusCode).toBe(401);
});
