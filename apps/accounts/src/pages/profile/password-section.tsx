import { Notice, PasswordField } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { SentForm } from "../form/sent-form.tsx";
import { changePassword } from "./profile.queries.ts";
import { Section } from "./section.tsx";

/** Changes the password. */
export function PasswordSection() {
	const { authUrl } = useSettings();
	const { field, profile: words } = useTexts();
	const queries = useQueryClient();
	const [done, setDone] = useState(0);
	const attempt = useMutation({
		mutationFn: (change: { current_password: string; new_password: string }) =>
			changePassword(authUrl, change),
		onSuccess: async () => {
			setDone((count) => count + 1);
			await queries.invalidateQueries({ queryKey: ["sessions"] });
		},
	});
	return (
		<Section title={words.password} lead={words.passwordLead} isForScreens>
			{attempt.isSuccess && <Notice kind="done">{words.changed}</Notice>}
			<div className="max-w-md">
				<SentForm
					// A new key empties the form after a change.
					key={done}
					submit={words.changePassword}
					submitting={words.changing}
					required={["current_password", "new_password"]}
					isBusy={attempt.isPending}
					failure={attempt.error}
					onSubmit={({ current_password = "", new_password = "" }) =>
						attempt.mutate({ current_password, new_password })
					}
				>
					{(validity) => (
						<>
							<PasswordField
								{...validity("current_password")}
								name="current_password"
								label={field.current_password}
								autoComplete="current-password"
								isBusy={attempt.isPending}
							/>
							<PasswordField
								{...validity("new_password")}
								name="new_password"
								label={field.new_password}
								hint={field.passwordHint}
								autoComplete="new-password"
								isBusy={attempt.isPending}
							/>
						</>
					)}
				</SentForm>
			</div>
		</Section>
	);
}
