import { useProfile } from "@lango/client/react";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { useTenant } from "../../tenant/use-tenant.ts";
import { useIsPlatform } from "../access/use-is-platform.ts";
import { NotificationsGate } from "../messages/state/notifications-gate.tsx";
import { LimitsForm } from "./limits-form.tsx";
import { useLimitTexts } from "./texts.ts";

const route = getRouteApi("/$slug/limits");

/**
 * `/{slug}/limits`: how many messages a tenant sends per minute, and at once. Administrators lower them.
 * Those of the platform's own tenant are the defaults of every tenant.
 */
export function LimitsPage() {
	const { slug } = route.useParams();
	const words = useLimitTexts();
	const tenant = useTenant();
	const isOwner = useProfile()?.isPlatformOwner === true;
	const isDefault = useIsPlatform(slug);
	return (
		<NotificationsGate slug={slug} permission="notifications.limits.view">
			{({ service }, may) => (
				<Page title={words.title} lead={isDefault ? words.defaultsLead : words.lead(tenant?.name ?? slug)}>
					<div className="max-w-2xl">
						<LimitsForm
							isMain
							scope={{ service, slug }}
							mayRaise={isOwner}
							mayChange={may("notifications.limits.change")}
							isDefault={isDefault}
						/>
					</div>
				</Page>
			)}
		</NotificationsGate>
	);
}
