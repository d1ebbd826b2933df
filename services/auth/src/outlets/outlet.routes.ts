import { canonical, type Route, route, tenantOf } from "@lango/chassis";
import { FailureBody, NewOutlet, Outlet, OutletChange, outletSettings } from "@lango/contracts";
import Type from "typebox";
import { BySlug, BySlugAndId, refusals } from "../administrators/administration.ts";
import { administratorOf } from "../administrators/admit-administrator.ts";
import { originOf } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { archiveOutlet, changeOutlet, openOutlet, restoreOutlet, type Where } from "./change-outlet.ts";

const listOf = (useCase: keyof typeof outletSettings) =>
	Object.entries(outletSettings[useCase])
		.map(([name, { isPublic }]) => (isPublic ? `${name} (public)` : name))
		.join(", ");
const settingsDescription = `Settings by use case, of which anybody may read those marked public: ${(
	Object.keys(outletSettings) as Array<keyof typeof outletSettings>
)
	.map((useCase) => `${useCase}: ${listOf(useCase)}`)
	.join("; ")}.`;

const whereOf = (request: Parameters<typeof administratorOf>[0]): Where => ({
	tenant: tenantOf(request),
	by: administratorOf(request),
});

/** A tenant's outlets, as its administrators change them; the list is public. */
export const outletRoutes = (dependencies: Dependencies): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/tenants/:slug/outlets",
		access: canonical("auth.outlets.change"),
		schema: {
			summary: "Creates an outlet",
			description: `A second active outlet needs the feature multi_outlet. ${settingsDescription}`,
			params: BySlug,
			body: NewOutlet,
			response: { 201: Outlet, 400: FailureBody, 409: FailureBody, ...refusals },
		},
		handler: async (request, reply) => {
			const opening = { ...whereOf(request), outlet: request.body };
			const outlet = await openOutlet(dependencies, opening, originOf(request, dependencies.now()));
			return reply.code(201).send(outlet);
		},
	}),
	route({
		method: "PATCH",
		url: "/api/v1/tenants/:slug/outlets/:id",
		access: canonical("auth.outlets.change"),
		schema: {
			summary: "Changes an outlet",
			description: `If sent, settings replace all previous settings. ${settingsDescription}`,
			params: BySlugAndId,
			body: OutletChange,
			response: { 200: Outlet, 400: FailureBody, 409: FailureBody, ...refusals },
		},
		handler: (request) =>
			changeOutlet(
				dependencies,
				{ ...whereOf(request), id: request.params.id, change: request.body },
				originOf(request, dependencies.now()),
			),
	}),
	route({
		method: "DELETE",
		url: "/api/v1/tenants/:slug/outlets/:id",
		access: canonical("auth.outlets.change"),
		schema: {
			summary: "Archives an outlet: its record is kept, and it can no longer be selected",
			params: BySlugAndId,
			response: { 204: Type.Null(), ...refusals },
		},
		handler: async (request, reply) => {
			const archiving = { ...whereOf(request), id: request.params.id };
			await archiveOutlet(dependencies, archiving, originOf(request, dependencies.now()));
			return reply.code(204).send(null);
		},
	}),
	route({
		method: "POST",
		url: "/api/v1/tenants/:slug/outlets/:id/restore",
		access: canonical("auth.outlets.change"),
		schema: {
			summary: "Restores an archived outlet",
			params: BySlugAndId,
			response: { 200: Outlet, ...refusals },
		},
		handler: (request) =>
			restoreOutlet(
				dependencies,
				{ ...whereOf(request), id: request.params.id },
				originOf(request, dependencies.now()),
			),
	}),
];
