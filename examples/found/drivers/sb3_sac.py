"""stable-baselines3: SAC and DQN, as in its documentation."""

from outcome import show
from stable_baselines3 import DQN, SAC

sac = SAC("MlpPolicy", "Pendulum-v1", seed=1, device="cpu")
sac.learn(total_timesteps=700)
dqn = DQN("MlpPolicy", "CartPole-v1", seed=1, learning_starts=200, device="cpu")
dqn.learn(total_timesteps=5000)
show(sac=next(sac.policy.parameters()), dqn=next(dqn.policy.parameters()))
