import { inTenant } from "@lango/postgres";
import { beforeAll, expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { claimsOf, setUpSignOn } from "./sign-on.ts";

// the platform owner, and the events of revoked roles

const signOn = setUpSignOn();
const office = openOffice(signOn);
let root: string;
beforeAll(async () => {
	root = await office.tokenOf("root@lango.example");
});

const me = async (token: string) => (await signOn.me(token)).json();
/** A route of the chassis that is for the platform owner alone: what every service takes the token for. */
const asOwner = async (token: string) =>
	(await office.call("GET", "/api/v1/platform/dead-jobs", { token })).statusCode;
const giveRoles = (slug: string, userId: string, { roles, token }: { roles: string[]; token: string }) =>
	office.call("PUT", `/api/v1/tenants/${slug}/members/${userId}/roles`, { token, body: { roles } });

/** A user with their own tenant who was also invited by the platform's superuser. */
async function deputy(roles: string[]) {
	const firm = await office.found();
	const body = { email: firm.email, roles };
	const invited = await office.call("POST", "/api/v1/tenants/lango/invitations", { token: root, body });
	const invitation = invited.json().token;
	const joined = await office.call("POST", "/api/v1/auth/join", { token: firm.token, body: { invitation } });
	if (joined.statusCode !== 200) throw new Error(`not joined: ${joined.body}`);
	return firm;
}

test("a new superuser has the platform owner's tenant as the primary one, and auth/me and services agree on the platform owner", async () => {
	const firm = await deputy(["staff"]);
	const at = (slug: string) => office.tokenOf(firm.email, { tenant_slug: slug });
	expect(await me(await at("lango"))).toMatchObject({
		primary_tenant_id: firm.tenantId,
		is_platform_owner: false,
	});
	expect((await giveRoles("lango", firm.userId, { roles: ["superuser"], token: root })).statusCode).toBe(204);
	const token = await at("lango");
	await expect
		.poll(() => me(token))
		.toMatchObject({ primary_tenant_id: signOn.tenants.get("lango"), is_platform_owner: true });
	expect(await asOwner(token)).toBe(200);
	expect(claimsOf(await office.tokenOf(firm.email)).tenant_slug).toBe("lango");
	const elsewhere = await at(firm.slug);
	expect(await me(elsewhere)).toMatchObject({ is_platform_owner: false });
	expect(await asOwner(elsewhere)).toBe(403);
});

test("a user who was invited as superuser has the platform owner's tenant as the primary one", async () => {
	const firm = await deputy(["superuser"]);
	const token = await office.tokenOf(firm.email);
	expect(claimsOf(token).tenant_slug).toBe("lango");
	expect([(await me(token)).is_platform_owner, await asOwner(token)]).toEqual([true, 200]);
});

test("auth/me and services agree, also if a row has another primary tenant", async () => {
	const firm = await deputy(["superuser"]);
	await signOn.db.query("update users set primary_tenant_id = $2 where id = $1", [
		firm.userId,
		firm.tenantId,
	]);
	const token = await office.tokenOf(firm.email, { tenant_slug: "lango" });
	expect([(await me(token)).is_platform_owner, await asOwner(token)]).toEqual([true, 200]);
});

test("superuser in a customer's tenant is not a platform owner", async () => {
	const firm = await office.found();
	await inTenant(signOn.db, firm.tenantId, (tx) =>
		tx.query("update memberships set roles = '{superuser}' where tenant_id = $1 and user_id = $2", [
			firm.tenantId,
			firm.userId,
		]),
	);
	const token = await office.tokenOf(firm.email);
	expect([(await me(token)).is_platform_owner, await asOwner(token)]).toEqual([false, 403]);
});

test.each([
	["superuser", "lango"],
	["admin", "its own"],
])(
	"a user who loses %s in %s keeps the session, and an event has the roles and the version",
	async (role, where) => {
		const firm = await deputy([role === "superuser" ? role : "staff"]);
		let place = { slug: "lango", id: signOn.tenants.get("lango"), by: root };
		if (where !== "lango") {
			const other = await office.found();
			const body = { email: firm.email, roles: [role] };
			const invited = await office.call("POST", `/api/v1/tenants/${other.slug}/invitations`, {
				token: other.token,
				body,
			});
			const invitation = invited.json().token;
			await office.call("POST", "/api/v1/auth/join", { token: firm.token, body: { invitation } });
			place = { slug: other.slug, id: other.tenantId, by: other.token };
		}
		const token = await office.tokenOf(firm.email, { tenant_slug: place.slug });
		expect((await me(token)).roles).toEqual([role]);
		const [before] = (await office.events("auth.user.updated", firm.userId)).slice(-1);
		const revoked = (await office.events("auth.session.revoked")).length;
		const taken = await giveRoles(place.slug, firm.userId, { roles: ["viewer"], token: place.by });
		expect(taken.statusCode).toBe(204);
		const [event] = (await office.events("auth.user.updated", firm.userId)).slice(-1);
		expect(event).toMatchObject({
			tenantid: place.id,
			data: { roles: ["viewer"], status: "active", version: Number(before?.data.version) + 1 },
		});
		expect(await office.events("auth.session.revoked")).toHaveLength(revoked);
		await expect.poll(async () => (await me(token)).roles).toEqual(["viewer"]);
	},
);
