import type { Scene, Stand } from "@lango/testkit";

const base = "/api/v1/:tenant/pos";
const pin = "2580";
const newTill = ({ make, outletId }: Scene) =>
	make("POST", `${base}/terminals`, { outlet_id: outletId, name: "Till" });

/** A person of the tenant with a PIN. */
async function hire({ make, person, at }: Scene): Promise<string> {
	const subject = await person();
	await make("PUT", `${base}/pins/${subject}`, { pin, outlet_id: at ?? null });
	return subject;
}
/**
 * The PIN sign-in of a person: one person per tenant, because a sign-in uses nothing up and hashing a PIN is
 * slow.
 */
const typing = new Map<string, { terminal: unknown; user_id: string }>();
async function typed(scene: Scene) {
	const { id, slug } = scene.tenant;
	const known = typing.get(id) ?? { terminal: (await newTill(scene)).token, user_id: await hire(scene) };
	typing.set(id, known);
	return { body: { tenant: slug, ...known, pin } };
}
const atTill = async (scene: Scene) => {
	const { body } = await typed(scene);
	return { headers: { "x-terminal-token": String(body.terminal) } };
};
export async function tokenOfTill(scene: Scene): Promise<string> {
	const { access_token: token } = await scene.make("POST", "/auth/pin", (await typed(scene)).body);
	return String(token);
}

/** Signs in a person with a new PIN at a new till of the scene's outlet. */
async function signInAtTill(scene: Scene, subject: string): Promise<string> {
	await scene.make("PUT", `${base}/pins/${subject}`, { pin, outlet_id: scene.outletId });
	const { token: terminal } = await newTill(scene);
	const typed = { tenant: scene.tenant.slug, terminal, user_id: subject, pin };
	return String((await scene.make("POST", "/auth/pin", typed)).access_token);
}

/** How the matrices of callers call the routes of this service. */
export const policy = {
	base,
	signInAtTill,
	samples: {
		[`POST ${base}/terminals`]: ({ outletId }: Scene) => ({
			body: { outlet_id: outletId, name: "Till" },
			namesThings: true,
		}),
		[`DELETE ${base}/terminals/:id`]: async (scene: Scene) => ({
			params: { id: String((await newTill(scene)).id) },
		}),
		[`PUT ${base}/pins/own`]: () => ({ body: { pin } }),
		[`PUT ${base}/pins/:user_id`]: async ({ person, at }: Scene) => ({
			params: { user_id: await person() },
			body: { pin, ...(at !== undefined && { outlet_id: at }) },
		}),
		[`DELETE ${base}/pins/:user_id`]: async (scene: Scene) => ({ params: { user_id: await hire(scene) } }),
		[`GET ${base}/auth/pin/profile`]: atTill,
		"GET /:tenant/pos/auth/pin/profile": atTill,
		"POST /auth/pin": typed,
		"POST /api/v1/auth/pin": typed,
	},
	also: async ({ token, tenants: { uhai } }: Stand, scene: Scene) => [
		{ name: "cashier", tenant: uhai, token: token(uhai, "cashier") },
		{ name: "till", tenant: uhai, token: await tokenOfTill(scene) },
	],
};
