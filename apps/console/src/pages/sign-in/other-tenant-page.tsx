import { useClient, useProfile } from "@lango/client/react";
import { Button, buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { PlainPage } from "../../layout/plain-page.tsx";
import { usePlatform } from "../../platform.ts";
import { tenantQuery } from "../../tenant/tenant.queries.ts";
import { useSignInTexts } from "./texts.ts";

/** Shown to a signed-in user who is not a member of the tenant in the address. */
export function OtherTenantPage({ tenant }: { tenant: string }) {
	const client = useClient();
	const profile = useProfile();
	const platform = usePlatform();
	const there = useQuery(tenantQuery(platform, tenant)).data;
	const own = useQuery(tenantQuery(platform, profile?.tenantSlug)).data;
	const { otherTenant: words } = useSignInTexts();
	const slug = profile?.tenantSlug ?? "";
	return (
		<PlainPage
			title={words.title}
			text={words.text(there?.name ?? tenant, profile?.email ?? "")}
			advice={words.advice}
		>
			<Link to="/$slug" params={{ slug }} className={buttonLook("action")}>
				{words.home(own?.name ?? slug)}
			</Link>
			<Button onClick={() => void client.signIn({ tenant, prompt: "login" }).catch(reportError)}>
				{words.signIn}
			</Button>
		</PlainPage>
	);
}
