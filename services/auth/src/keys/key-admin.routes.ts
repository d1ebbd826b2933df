import { platformOwner, type Route, route } from "@lango/chassis";
import { AdminKey, FailureBody } from "@lango/contracts";
import { listKeyStates, nextChangeAt } from "@lango/signing-keys";
import Type from "typebox";
import { refusals } from "../administrators/administration.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { askForNewKeys, revokeKey } from "./change-keys.ts";

const base = "/api/v1/admin/keys";
const access = platformOwner();
const ByKid = Type.Object({ kid: Type.String({ pattern: "^[A-Za-z0-9_-]{1,100}$" }) });
const Keys = Type.Object({ items: Type.Array(AdminKey, { maxItems: 50 }), next_cursor: Type.Null() });
const Rotated = Type.Object({
	outcome: Type.Enum(["prepared", "changed", "waiting"], {
		type: "string",
		description:
			"prepared: new keys are published. changed: they sign. waiting: published for less than eleven minutes",
	}),
	keys: Type.Array(AdminKey),
});

/** The keys that sign the platform's tokens, for its owner; the same as `node tools/keys.ts`. */
export const keyAdminRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: base,
		access,
		schema: {
			summary: "Lists the published signing keys, newest first",
			response: { 200: Keys, ...refusals },
		},
		handler: async () => ({ items: await readKeys(dependencies), next_cursor: null }),
	}),
	route({
		method: "POST",
		url: `${base}/rotate`,
		access,
		schema: {
			summary: "Creates new signing keys; called again after eleven minutes, makes them active",
			response: { 200: Rotated, ...refusals },
		},
		handler: async (request) => {
			const outcome = await askForNewKeys(dependencies, originOf(request, dependencies.now()));
			return { outcome, keys: await readKeys(dependencies) };
		},
	}),
	route({
		method: "POST",
		url: `${base}/:kid/revoke`,
		access,
		schema: {
			summary: "Revokes a signing key at once; tokens that it signed become invalid",
			params: ByKid,
			response: { 204: Type.Null(), 400: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			await revokeKey(dependencies, request.params.kid, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
];

async function readKeys({ db }: Pick<Dependencies, "db">): Promise<AdminKey[]> {
	const keys = await listKeyStates(db);
	return keys.map(({ kid, algorithm, status, changedAt }) => ({
		kid,
		algorithm,
		status,
		since: changedAt.toISOString(),
		goes_on_at: nextChangeAt({ algorithm, status, changedAt }).toISOString(),
	}));
}
