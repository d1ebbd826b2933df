import { expect, test } from "vitest";
import { fresh, openOffice } from "./office.ts";
import { claimsOf, password, setUpSignOn, startSignOn } from "./sign-on.ts";

// registering with an address that is somebody's already

const signOn = setUpSignOn({ LANGO_TRUSTED_PROXIES: "127.0.0.1" });
const office = openOffice(signOn);

const organization = (slug: string) => ({ name: "Mto Traders", slug, use_case: "retail" });
const createNew = (slug: string, more: object) =>
	office.register({ org_action: "create_new", organization: organization(slug), ...more });

test("a user who was removed from their last tenant can register into another one with their current password only", async () => {
	const firm = await office.found();
	const next = await office.found();
	const { userId, email } = await office.join(firm.slug);
	await office.call("POST", `/api/v1/tenants/${firm.slug}/join-requests/${userId}/refuse`, {
		token: firm.token,
	});
	expect((await office.signIn(email)).statusCode).toBe(401);
	const into = { email, org_action: "join_existing", tenant_slug: next.slug };
	const guessed = await office.register({ ...into, password: "Tembo-na-Simba-77" });
	expect([guessed.statusCode, guessed.json().code]).toEqual([409, "email_taken"]);
	const again = await office.register(into);
	expect(again.statusCode).toBe(201);
	expect(again.json()).toMatchObject({
		user: { id: userId },
		tenant: { slug: next.slug },
		status: "pending_review",
	});
	expect(claimsOf(await office.tokenOf(email))).toMatchObject({ sub: userId, tenant_slug: next.slug });
	expect((await office.register({ ...into, tenant_slug: firm.slug })).statusCode).toBe(409);
});

test("wrong passwords in a registration count as failed sign-ins", async () => {
	const firm = await office.found();
	const { userId, email } = await office.join(firm.slug);
	await office.call("POST", `/api/v1/tenants/${firm.slug}/join-requests/${userId}/refuse`, {
		token: firm.token,
	});
	const guess = (guessed: string) =>
		office.call("POST", "/api/v1/auth/register", {
			headers: { "x-forwarded-for": "203.0.113.77" },
			body: { name: "X", email, password: guessed, org_action: "join_existing", tenant_slug: firm.slug },
		});
	for (let tried = 0; tried < 10; tried += 1)
		expect((await guess(`Guess-number-${tried}`)).statusCode).toBe(409);
	const refused = await guess(password);
	expect([refused.statusCode, refused.json().code]).toEqual([429, "too_many_attempts"]);
});

test("a user who was removed from their last tenant can register with a new one, with their current password only", async () => {
	const firm = await office.found();
	const { userId, email } = await office.join(firm.slug);
	const refuse = `/api/v1/tenants/${firm.slug}/join-requests/${userId}/refuse`;
	await office.call("POST", refuse, { token: firm.token });
	const guessed = await createNew(fresh("mto"), { email, password: "Tembo-na-Simba-77" });
	expect([guessed.statusCode, guessed.json().code]).toEqual([409, "email_taken"]);
	const slug = fresh("mto");
	const again = await createNew(slug, { email });
	expect(again.statusCode).toBe(201);
	expect(again.json()).toMatchObject({ user: { id: userId, roles: ["admin"] }, tenant: { slug } });
	expect(claimsOf(await office.tokenOf(email))).toMatchObject({ sub: userId, tenant_slug: slug });
});

test("a disabled user cannot register again, and gets the answer for a taken address", async () => {
	const firm = await office.found();
	const { userId, email } = await office.join(firm.slug);
	const refuse = `/api/v1/tenants/${firm.slug}/join-requests/${userId}/refuse`;
	await office.call("POST", refuse, { token: firm.token });
	await signOn.db.query("update users set status = 'disabled' where id = $1", [userId]);
	const body = { email, org_action: "join_existing", tenant_slug: "uhai" };
	const { request_id: _, ...answer } = (await office.register(body)).json();
	const { request_id: __, ...other } = (await office.register({ ...body, email: firm.email })).json();
	expect(answer).toEqual(other);
	expect(answer.code).toBe("email_taken");
	expect((await createNew(fresh("mto"), { email })).json().code).toBe("email_taken");
});

test("a registration with a taken address checks a password, for every user", async () => {
	const narrow = await startSignOn({
		LANGO_TRUSTED_PROXIES: "127.0.0.1",
		AUTH_PASSWORD_HASHES_AT_ONCE: "1",
		AUTH_PASSWORD_HASHES_WAITING: "1",
	});
	const other = openOffice(narrow);
	const firm = await other.found();
	const withoutTenant = await other.join(firm.slug);
	const refuse = `/api/v1/tenants/${firm.slug}/join-requests/${withoutTenant.userId}/refuse`;
	await other.call("POST", refuse, { token: firm.token });
	const bare = await other.found();
	await narrow.db.query("delete from credentials where user_id = $1", [bare.userId]);
	const joining = { org_action: "join_existing", tenant_slug: "uhai" };
	const making = () => ({ org_action: "create_new", organization: organization(fresh("mto")) });
	for (const [at, { email }] of [firm, withoutTenant, bare].entries())
		for (const [way, more] of [() => joining, making].entries()) {
			const register = (guess: number) =>
				other.call("POST", "/api/v1/auth/register", {
					headers: { "x-forwarded-for": `203.0.113.${100 + 2 * at + way}` },
					body: { name: "X", email, password: `Guess-number-${guess}`, ...more() },
				});
			const answers = await Promise.all(Array.from({ length: 8 }, (_, guess) => register(guess)));
			const of = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length;
			expect(of(409), `${email} ${way}`).toBeGreaterThanOrEqual(2);
			expect(of(503), `${email} ${way}`).toBeGreaterThanOrEqual(1);
			expect(of(409) + of(503), `${email} ${way}`).toBe(8);
		}
	await narrow.close();
});

test("the right password clears what was counted against it in registrations", async () => {
	const firm = await office.found();
	const { userId, email } = await office.join(firm.slug);
	const refuse = `/api/v1/tenants/${firm.slug}/join-requests/${userId}/refuse`;
	await office.call("POST", refuse, { token: firm.token });
	const headers = { "x-forwarded-for": "203.0.113.78" };
	const guess = (guessed: string) =>
		office.call("POST", "/api/v1/auth/register", {
			headers,
			body: { name: "X", email, password: guessed, org_action: "join_existing", tenant_slug: firm.slug },
		});
	for (let tried = 0; tried < 9; tried += 1)
		expect((await guess(`Guess-number-${tried}`)).statusCode).toBe(409);
	expect((await guess(password)).statusCode).toBe(201);
	const wrong = { body: { email, password: "wrong-password" }, headers };
	for (let tried = 0; tried < 10; tried += 1)
		expect((await office.call("POST", "/api/v1/auth/login", wrong)).statusCode).toBe(401);
	expect((await office.call("POST", "/api/v1/auth/login", wrong)).statusCode).toBe(429);
});

test("of many parallel registrations with taken addresses from one IP, twenty get that answer", async () => {
	const { email } = await office.found();
	const answers = await Promise.all(
		Array.from({ length: 40 }, () =>
			office.call("POST", "/api/v1/auth/register", {
				headers: { "x-forwarded-for": "203.0.113.79" },
				body: { name: "X", email, password, org_action: "join_existing", tenant_slug: "uhai" },
			}),
		),
	);
	expect(answers.filter(({ statusCode }) => statusCode === 409).length).toBeLessThanOrEqual(20);
	for (const answer of answers) expect([409, 429]).toContain(answer.statusCode);
});
