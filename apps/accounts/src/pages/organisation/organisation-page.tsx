import type { Joined } from "@lango/contracts";
import { buttonLook } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { applicationAddress } from "../../session/application.ts";
import { requestSignedIn } from "../../session/request-signed-in.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import type { Entered } from "../form/entered.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";
import { SignedInOnly } from "../signed-in-only.tsx";
import { OrganisationFields, toOrganization } from "./organisation-fields.tsx";

/** A registered person creates another tenant. */
export function OrganisationPage() {
	return <SignedInOnly>{() => <CreateOrganisation />}</SignedInOnly>;
}

function CreateOrganisation() {
	const settings = useSettings();
	const { authUrl } = settings;
	const { createOrganisation: words, join, profile } = useTexts();
	const queries = useQueryClient();
	const attempt = useMutation({
		mutationFn: async (entered: Entered) => {
			const body = { organization: toOrganization(entered) };
			return (await requestSignedIn(authUrl, "/api/v1/tenants", { method: "POST", body })) as Joined;
		},
		onSuccess: () => queries.invalidateQueries({ queryKey: ["me"] }),
	});
	const back = (look: string) => (
		<Link to="/profile" className={look}>
			{profile.back}
		</Link>
	);
	const next = attempt.data && applicationAddress(settings, attempt.data.tenant.slug);
	if (attempt.data !== undefined)
		return (
			<NoticePage title={words.title} text={words.done(attempt.data.tenant.name)} gate="open">
				{next !== undefined && (
					<a href={next} className={buttonLook("action")}>
						{join.open(attempt.data.tenant.name)}
					</a>
				)}
				{back(buttonLook("plain"))}
			</NoticePage>
		);
	return (
		<GateFrame title={words.title} announce>
			<p className="mt-3 text-quiet">{words.lead}</p>
			<SentForm
				submit={words.submit}
				submitting={words.submitting}
				required={["organization_name", "slug"]}
				isBusy={attempt.isPending}
				failure={attempt.error}
				onSubmit={(entered) => attempt.mutate(entered)}
			>
				{(validity) => <OrganisationFields validity={validity} />}
			</SentForm>
			{back(`${buttonLook("quiet")} mt-4`)}
		</GateFrame>
	);
}
