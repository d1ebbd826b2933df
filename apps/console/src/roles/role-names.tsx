import { wordFor } from "../texts/texts.ts";
import { useRoleTexts } from "./texts.ts";

/** The names of global roles. They do not wrap in narrow table columns. */
export function RoleNames({ codes }: { codes: readonly string[] }) {
	const { roles } = useRoleTexts();
	const names = codes.map((code) => wordFor(roles, code)).join(", ");
	return <span className="wrap-normal">{names || "–"}</span>;
}
