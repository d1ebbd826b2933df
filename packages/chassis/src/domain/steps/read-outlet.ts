import { permissionsOfPerson, roleOf } from "@lango/access";
import { isUuid } from "@lango/tenancy";
import { callOf } from "../../call.ts";
import { rulesOf, type Step } from "../../route.ts";

/**
 * The step that reads X-Outlet-ID (spec §4.3): a UUID is the outlet to filter by, anything else means all tenant data.
 * It always continues. What a person holds at that outlet alone is added to what they hold in the tenant.
 */
export const readOutlet: Step = (request) => {
	const call = callOf(request);
	const header = request.headers["x-outlet-id"];
	const claimed =
		call.caller?.kind === "user" && rulesOf(request)?.outlet === "own"
			? call.caller.claims.outlet_id
			: undefined;
	const given = typeof header === "string" && isUuid(header) ? header : claimed;
	if (given === undefined || !isUuid(given)) return;
	call.outletId = given.toLowerCase();
	const { person } = call;
	if (person === undefined || call.user === undefined) return;
	call.user = {
		id: call.user.id,
		serviceRole: roleOf(person, call.outletId),
		permissions: permissionsOfPerson(person, call.outletId),
	};
};
