import { readResource } from "../../token/resource.ts";
import { type Parameters, parameter } from "../request.ts";

/** RFC 8707 §2: the one service the tokens are for; the whole platform when none is named. */
export function checkResource(parameters: Parameters, audience: string): string | undefined {
	const resource = readResource(parameter(parameters, "resource"), audience);
	return resource === audience ? undefined : resource;
}
