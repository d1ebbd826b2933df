import { ClientError } from "@lango/client";
import { buttonLook, PasswordField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { readFragment } from "../../session/read-fragment.ts";
import { post } from "../../session/request.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";

/** `/reset-password#token=…`: sets a new password with the token of a link. */
export function ResetPage() {
	const { authUrl } = useSettings();
	const navigate = useNavigate();
	const { field, reset: words, badLink } = useTexts();
	const [token] = useState(() => readFragment("token"));
	const attempt = useMutation({
		mutationFn: (password: string) => post(`${authUrl}/api/v1/auth/password/reset`, { token, password }),
		onSuccess: () => navigate({ to: "/login", search: {}, state: { isPasswordSet: true }, replace: true }),
	});
	const isLinkInvalid = attempt.error instanceof ClientError && attempt.error.code === "link_invalid";
	if (token === undefined || isLinkInvalid)
		return (
			<NoticePage title={badLink.title} text={badLink.text} advice={badLink.resetAdvice}>
				<Link to="/forgot-password" className={buttonLook("plain")}>
					{words.again}
				</Link>
			</NoticePage>
		);
	return (
		<GateFrame title={words.title}>
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
