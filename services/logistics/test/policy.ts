import type { Scene } from "@lango/testkit";

const base = "/api/v1/:tenant/logistics";
const addRider = async ({ make, person }: Scene) => {
	const { id } = await make("POST", `${base}/riders`, { user_id: await person() });
	return String(id);
};
const byId = async (scene: Scene) => ({ params: { id: await addRider(scene) } });

/** How the matrices of callers call the routes of this service. */
export const policy = {
	base,
	samples: {
		[`GET ${base}/riders/:id`]: byId,
		[`POST ${base}/riders`]: async ({ person }: Scene) => ({
			body: { user_id: await person() },
			namesThings: true,
		}),
		[`POST ${base}/riders/:id/approve`]: byId,
		[`POST ${base}/riders/:id/suspend`]: byId,
		[`POST ${base}/riders/:id/readmit`]: async (scene: Scene) => {
			const id = await addRider(scene);
			await scene.make("POST", `${base}/riders/${id}/suspend`);
			return { params: { id } };
		},
	},
};
