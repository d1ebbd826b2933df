import type { Joined } from "@lango/contracts";
import { buttonLook } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import type { Me } from "../../session/me.ts";
import { requestSignedIn } from "../../session/request-signed-in.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import type { Entered } from "../form/entered.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";
import { SignedInOnly } from "../signed-in-only.tsx";
import { JoinFields } from "./join-fields.tsx";

/** A registered person joins another tenant, by an invitation or a join request. */
export function JoinPage() {
	return <SignedInOnly>{(me) => <Join me={me} />}</SignedInOnly>;
}

function Join({ me }: { me: Me }) {
	const { authUrl } = useSettings();
	const { join: words, profile } = useTexts();
	const queries = useQueryClient();
	const { invitation } = useLocation().state;
	const [isInvited] = useState(invitation !== undefined);
	const attempt = useMutation({
		mutationFn: async (entered: Entered) => {
			const body =
				invitation === undefined
					? { tenant_slug: entered.tenant_slug, requested_role: entered.requested_role }
					: { invitation };
			return (await requestSignedIn(authUrl, "/api/v1/auth/join", { method: "POST", body })) as Joined;
		},
		onSuccess: () => queries.invalidateQueries({ queryKey: ["me"] }),
	});

	const title = isInvited ? words.invitedTitle : words.title;
	if (attempt.data !== undefined) {
		const { tenant, status } = attempt.data;
		const text = status === "active" ? words.joined(tenant.name) : words.waits(tenant.name);
		return (
			<NoticePage title={title} text={text} gate={status === "active" ? "open" : "closed"}>
				<Link to="/profile" className={buttonLook("plain")}>
					{profile.back}
				</Link>
			</NoticePage>
		);
	}
	return (
		<GateFrame title={title} announce>
			<p className="mt-3 text-quiet">{isInvited ? words.invitedLead(me.email) : words.lead}</p>
			<SentForm
				submit={isInvited ? words.accept : words.submit}
				submitting={words.submitting}
				required={isInvited ? [] : ["tenant_slug"]}
				isBusy={attempt.isPending}
				failure={attempt.error}
				onSubmit={(entered) => attempt.mutate(entered)}
			>
				{(validity) => !isInvited && <JoinFields validity={validity} slug="" />}
			</SentForm>
			<Link to="/profile" className={`${buttonLook("quiet")} mt-4`}>
				{profile.back}
			</Link>
		</GateFrame>
	);
}
