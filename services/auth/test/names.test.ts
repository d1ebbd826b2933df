import { beforeAll, expect, test } from "vitest";
import { fresh, openOffice } from "./office.ts";
import { setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);
let platformName: string;
beforeAll(async () => {
	const [row] = await signOn.db.query<{ name: string }>("select name from tenants where slug = 'lango'");
	platformName = row?.name ?? "";
});

const found = (organization: object) =>
	office.register({
		email: `${fresh("boss")}@names.example`,
		org_action: "create_new",
		organization: {
			name: "Firm",
			slug: fresh("firm"),
			org_size: "1-10",
			use_case: "retail",
			...organization,
		},
	});
const refusal = (response: { statusCode: number; json(): { code: string; field?: string } }) => {
	const { code, field } = response.json();
	return [response.statusCode, code, field];
};
const cyrillic = (text: string) => text.replaceAll("a", "а").replaceAll("o", "о");

test("a new tenant's name cannot be mistaken for the platform's", async () => {
	for (const name of [platformName, cyrillic(platformName), `${platformName.toUpperCase()}.`, "L a n g o"])
		expect(refusal(await found({ name })), name).toEqual([400, "name_reserved", "organization.name"]);
	for (const name of [`${platformName} Traders`, `Café ${platformName}`, "Langoni Help", "Support Team"])
		expect((await found({ name })).statusCode, name).toBe(201);
});

test.each([
	"Lango Support",
	"The official LANGO team",
	"Lаngo – customer саre",
	"LangoBilling",
	"L a n g o  Ltd.",
])("a new tenant's name cannot be mistaken for a part of the platform: %s", async (name) => {
	expect(refusal(await found({ name }))).toEqual([400, "name_reserved", "organization.name"]);
});

test.each(["lang0", "l-ango", "1ango", "lango-support", "team-lango"])(
	"a new tenant's slug cannot be mistaken for the platform's: %s",
	async (slug) => {
		expect(refusal(await found({ slug }))).toEqual([400, "slug_reserved", "organization.slug"]);
	},
);

test("a tenant is not renamed to what can be mistaken for the platform, and the platform keeps its name", async () => {
	const firm = await office.found();
	const rename = (token: string, slug: string, name: string) =>
		office.call("PATCH", `/api/v1/tenants/${slug}/settings`, { token, body: { name } });
	expect(refusal(await rename(firm.token, firm.slug, cyrillic(platformName)))).toEqual([
		400,
		"name_reserved",
		"name",
	]);
	const root = await office.tokenOf("root@lango.example");
	expect((await rename(root, "lango", platformName)).statusCode).toBe(200);
	const renamed = await office.call("PATCH", `/api/v1/admin/tenants/${firm.tenantId}`, {
		token: root,
		body: { slug: "lang0" },
	});
	expect(refusal(renamed)).toEqual([400, "slug_reserved", "slug"]);
});

test("names with hidden characters and malformed addresses are refused wherever they are entered", async () => {
	const firm = await office.found();
	const spoofed = "Uhai\u202e";
	const at = (path: string) => `/api/v1/tenants/${firm.slug}/${path}`;
	const root = await office.tokenOf("root@lango.example");
	const client = {
		client_id: fresh("client"),
		redirect_uris: ["https://x.example/cb"],
		scopes: ["openid"],
		public: true,
	};
	const joining = { org_action: "join_existing", tenant_slug: firm.slug };
	const outlet = { code: "B1", use_case: "retail" };
	const invalid = (field: string) => [400, "invalid_input", field];
	expect(refusal(await found({ name: spoofed }))).toEqual(invalid("organization.name"));
	expect(refusal(await office.register({ ...joining, name: spoofed }))).toEqual(invalid("name"));
	for (const email of ["a b@x.example", "jürgen@x.example", `${"l".repeat(65)}@x.example`]) {
		expect(refusal(await office.register({ ...joining, email }))).toEqual(invalid("email"));
		expect(refusal(await office.signIn(email))).toEqual(invalid("email"));
		const reset = await office.call("POST", "/api/v1/auth/password/reset-request", { body: { email } });
		expect(refusal(reset)).toEqual(invalid("email"));
		const invitation = { email, roles: ["staff"] };
		const invited = await office.call("POST", at("invitations"), { token: firm.token, body: invitation });
		expect(refusal(invited)).toEqual(invalid("email"));
	}
	const settings = await office.call("PATCH", at("settings"), { token: firm.token, body: { name: spoofed } });
	expect(refusal(settings)).toEqual(invalid("name"));
	const opened = await office.call("POST", at("outlets"), {
		token: firm.token,
		body: { ...outlet, name: spoofed },
	});
	expect(refusal(opened)).toEqual(invalid("name"));
	const registered = await office.call("POST", "/api/v1/admin/clients", {
		token: root,
		body: { ...client, name: spoofed },
	});
	expect(refusal(registered)).toEqual(invalid("name"));
});
