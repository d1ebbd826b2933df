import { useProfile } from "@lango/client/react";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { useTenant } from "../../tenant/use-tenant.ts";
import { isGranted } from "../access/access.queries.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { LimitsForm } from "./limits-form.tsx";
import { useLimitTexts } from "./texts.ts";

const route = getRouteApi("/$slug/limits");

/** `/{slug}/limits`: how many messages a tenant sends per minute, and at once. Administrators lower them. */
export function LimitsPage() {
	const { slug } = route.useParams();
	const words = useLimitTexts();
	const tenant = useTenant();
	const isOwner = useProfile()?.isPlatformOwner === true;
	return (
		<ServiceGate service="notifications" slug={slug} permission="notifications.limits.view">
			{({ service }, granted) => (
				<Page title={words.title} lead={words.lead(tenant?.name ?? slug)}>
					<div className="max-w-2xl">
						<LimitsForm
							isMain
							scope={{ service, slug }}
							mayRaise={isOwner}
							mayChange={isGranted(granted, "notifications.limits.change")}
						/>
					</div>
				</Page>
			)}
		</ServiceGate>
	);
}
