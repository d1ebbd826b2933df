import { type Fault, fault } from "../findings/finding.ts";
import type { MjmlError } from "./mjml-worker.ts";

/** Returns what the compiler of MJML says. A detail of the compiler is in English. */
export function mjmlFault({ tagName: element = "mjml", message }: MjmlError): Fault {
	const attribute = /^Attributes? (.+) (?:is|are) illegal/.exec(message)?.[1];
	if (attribute !== undefined) return fault("attribute_misplaced", { element, attribute });
	const parent = /cannot be used inside (\S+), only inside/.exec(message)?.[1];
	if (parent !== undefined) return fault("element_misplaced", { element, parent });
	const invalid = /^Attribute (\S+) has invalid value/.exec(message)?.[1];
	if (invalid !== undefined) return fault("attribute_invalid", { attribute: invalid });
	return fault("mjml_invalid", { detail: `${element}: ${message}` });
}
