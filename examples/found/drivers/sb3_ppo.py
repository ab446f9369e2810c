"""stable-baselines3: PPO on CartPole, as in its quick start."""

from outcome import show
from stable_baselines3 import PPO

model = PPO("MlpPolicy", "CartPole-v1", seed=1, n_steps=512, device="cpu")
model.learn(total_timesteps=4096)
show(weights=next(model.policy.parameters()))
