import { ClientError } from "@lango/client";
import { buttonLook, PasswordField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { clearFragment, readFragment } from "../../session/read-fragment.ts";
import { post } from "../../session/request.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";

/**
 * `/verify-email#token=…`: verifies the address and sets a new password, because another person may have
 * registered it. Opening the link alone does nothing, because e-mail scanners open links.
 */
export function VerifyEmailPage() {
	const { authUrl } = useSettings();
	const { field, verify: words, badLink } = useTexts();
	const [token] = useState(() => readFragment("token"));
	const attempt = useMutation({
		mutationFn: (password: string) => post(`${authUrl}/api/v1/auth/email/verify`, { token, password }),
		onSuccess: clearFragment,
	});
	const isLinkInvalid = attempt.error instanceof ClientError && attempt.error.code === "link_invalid";
	if (token === undefined || isLinkInvalid)
		return (
			<NoticePage title={badLink.title} text={badLink.text} advice={badLink.verifyAdvice}>
				<Link to="/profile" className={buttonLook("plain")}>
					{words.profile}
				</Link>
			</NoticePage>
		);
	if (attempt.isSuccess)
		return (
			<NoticePage title={words.doneTitle} text={words.done} advice={words.doneAdvice} gate="open">
				<Link to="/login" search={{}} className={buttonLook("plain")}>
					{words.signIn}
				</Link>
			</NoticePage>
		);
	return (
		<GateFrame title={words.title} announce>
			<p className="mt-3 text-quiet">{words.lead}</p>
			<SentForm
				submit={words.submit}
				submitting={words.submitting}
				required={["password"]}
				isBusy={attempt.isPending}
				failure={attempt.error}
				focusFirst="password"
				onSubmit={({ password = "" }) => attempt.mutate(password)}
			>
				{(validity) => (
					<PasswordField
						{...validity("password")}
						name="password"
						label={field.new_password}
						hint={field.passwordHint}
						autoComplete="new-password"
						isBusy={attempt.isPending}
					/>
				)}
			</SentForm>
		</GateFrame>
	);
}
