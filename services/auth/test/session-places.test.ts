import { expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { writePlaceFile } from "./place-file.ts";
import { password, setUpSignOn, startSignOn } from "./sign-on.ts";

const AUTH_PLACES_FILE = writePlaceFile({
	"203.0.113.0/24": { country: { iso_code: "KE" }, city: { names: { en: "Mombasa" } } },
	"198.51.100.0/24": { country: { iso_code: "TZ" } },
});
const signOn = setUpSignOn({ AUTH_PLACES_FILE, LANGO_TRUSTED_PROXIES: "127.0.0.1" });
const office = openOffice(signOn);

/** Signs in through the proxy from an address; answers the place of the session. */
async function placeOfSignIn(email: string, ip: string): Promise<unknown> {
	const headers = { "x-forwarded-for": ip };
	const body = { email, password, tenant_slug: "" };
	const answer = await office.call("POST", "/api/v1/auth/login", { body, headers });
	expect(answer.statusCode).toBe(200);
	const token = answer.json().access_token;
	const { items } = (await office.call("GET", "/api/v1/auth/sessions", { token })).json();
	return items.find(({ is_current }: { is_current: boolean }) => is_current).place;
}

test("a session names the place of its sign-in by the address that the trusted proxy states", async () => {
	const { email } = await office.found();
	expect(await placeOfSignIn(email, "203.0.113.7")).toEqual({ country: "KE", city: "Mombasa" });
	expect(await placeOfSignIn(email, "198.51.100.7")).toEqual({ country: "TZ", city: null });
	for (const ip of ["192.0.2.1", "10.1.2.3"]) expect(await placeOfSignIn(email, ip)).toBeNull();
});

test("a sign-in that renews a browser session replaces its place", async () => {
	const { email, userId } = await office.found();
	const signIn = async (ip: string, cookie?: string) => {
		const answer = await office.call("POST", "/api/v1/auth/login", {
			body: { email, password, tenant_slug: "" },
			headers: { "x-forwarded-for": ip, ...(cookie && { cookie, origin: "http://localhost:3000" }) },
		});
		return answer.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
	};
	await signIn("192.0.2.1", await signIn("203.0.113.7"));
	const places = await signOn.db.query("select country, city from browser_sessions where user_id = $1", [
		userId,
	]);
	expect(places).toContainEqual({ country: null, city: null });
	expect(places).not.toContainEqual({ country: "KE", city: "Mombasa" });
});

test("no table of sessions, devices or events has the address of a sign-in", async () => {
	const { email, userId } = await office.found();
	await placeOfSignIn(email, "203.0.113.77");
	for (const table of ["browser_sessions", "sessions", "last_devices"]) {
		const rows = await signOn.db.query<{ row: string }>(
			`select t::text as row from ${table} t where user_id = $1`,
			[userId],
		);
		expect(rows.map(({ row }) => row).join(), table).not.toContain("203.0.113.77");
	}
	const events = await office.events("auth.user.login", userId);
	expect(events.length).toBeGreaterThan(0);
	expect(JSON.stringify(events)).not.toContain("203.0.113");
});

test("the place is erased with the person", async () => {
	const { email, userId } = await office.found();
	await placeOfSignIn(email, "203.0.113.7");
	const places = () => signOn.db.query("select city from browser_sessions where user_id = $1", [userId]);
	expect(await places()).toContainEqual({ city: "Mombasa" });
	const token = await office.tokenOf("root@lango.example");
	const erased = await office.call("DELETE", `/api/v1/admin/people/${userId}`, { token });
	expect(erased.statusCode).toBe(204);
	expect(await places()).toEqual([]);
});

test("a file that cannot be read stops the start, and the error names the setting", async () => {
	await expect(startSignOn({ AUTH_PLACES_FILE: "/no/such/places.mmdb" })).rejects.toThrow(
		/AUTH_PLACES_FILE names a file that cannot be read: ENOENT/,
	);
});
