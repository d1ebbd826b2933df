import { insertDeadJob, insertDeadLetter } from "../database/dead.store.ts";
import type { Samples, Scene } from "./policy.ts";
import type { Stand } from "./stand.ts";

/** The samples of the routes that every domain service has. */
export function accessSamples(base: string): Samples {
	const role = async ({ make, unique }: Scene) => {
		const code = unique();
		await make("POST", `${base}/roles`, { code, permissions: [] });
		return code;
	};
	const assignment = async (scene: Scene) => {
		const [code, user_id] = [await role(scene), await scene.person()];
		const { id } = await scene.make("POST", `${base}/roles/${code}/assignments`, {
			user_id,
			...there(scene),
		});
		return { code, id: String(id) };
	};
	const byCode = async (scene: Scene) => ({ params: { code: await role(scene) } });
	return {
		[`PUT ${base}/config`]: () => ({ body: { key: "theme", value: "dark" } }),
		[`POST ${base}/roles`]: ({ unique }) => ({ body: { code: unique(), permissions: [] } }),
		[`GET ${base}/roles/:code`]: byCode,
		[`PATCH ${base}/roles/:code`]: async (scene) => ({
			...(await byCode(scene)),
			body: { description: "x" },
		}),
		[`DELETE ${base}/roles/:code`]: byCode,
		[`GET ${base}/roles/:code/assignments`]: async (scene) => ({
			params: { code: (await assignment(scene)).code },
		}),
		[`GET ${base}/audit`]: () => ({ query: "?limit=200" }),
		[`POST ${base}/roles/:code/assignments`]: async (scene) => ({
			...(await byCode(scene)),
			body: { user_id: await scene.person(), ...there(scene) },
		}),
		[`DELETE ${base}/roles/:code/assignments/:id`]: async (scene) => ({ params: await assignment(scene) }),
		[`POST ${base}/api-keys`]: () => ({ body: { name: "till", permissions: [] } }),
		[`DELETE ${base}/api-keys/:id`]: async ({ make }) => {
			const { id } = await make("POST", `${base}/api-keys`, { name: "till", permissions: [] });
			return { params: { id: String(id) } };
		},
	};
}

/** The samples of the platform owner's routes for dead letters and dead jobs, created for each call. */
export function deadLetterSamples({ name, database }: Stand): Samples {
	const under = "/api/v1/platform";
	const letter = async () => ({ params: { id: await insertDeadLetter(database.db, name) } });
	return {
		[`POST ${under}/dead-letters/:id/redrive`]: letter,
		[`DELETE ${under}/dead-letters/:id`]: letter,
		[`POST ${under}/dead-jobs/:id/redrive`]: async () => ({
			params: { id: await insertDeadJob(database.db) },
		}),
	};
}

/** The outlet of the scene, if it has one. */
const there = ({ at }: Scene) => (at === undefined ? {} : { outlet_id: at });
