import { wordFor } from "../texts/texts.ts";
import { useRoleTexts } from "./texts.ts";

/** Roles of the sign-on service by their words, which are not broken apart where a table is narrow. */
export function RoleNames({ codes }: { codes: readonly string[] }) {
	const { roles } = useRoleTexts();
	const names = codes.map((code) => wordFor(roles, code)).join(", ");
	return <span className="wrap-normal">{names || "–"}</span>;
}
