import { Badge } from "../../layout/badge.tsx";
import { wordFor } from "../../texts/texts.ts";
import { useTenantTexts } from "./texts.ts";

const kinds: Readonly<Record<string, "done" | "error" | "plain">> = { active: "done", suspended: "error" };

/** The status of a tenant. */
export function TenantStatus({ status }: { status: string }) {
	const { statuses } = useTenantTexts();
	return <Badge kind={kinds[status] ?? "plain"}>{wordFor(statuses, status)}</Badge>;
}
